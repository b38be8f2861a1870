// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cell.hpp"

namespace harness {

/// A key of row names that the command line may vary: `--tasks=2,1000` makes cells with tasks:2 and
/// tasks:1000. A value is one of `words`, or a number between the two ends.
struct Parameter {
  std::string key;
  std::vector<std::string> defaults{};
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::vector<std::string> words{};
  std::string help{};

  /// Empty when `value` is one of this parameter's; else the line that says why not.
  [[nodiscard]] std::string objection(std::string_view value) const;
};

/// A word of free text that some programs take: `--target=HOST:PORT`. Empty unless given; who uses
/// it checks it.
struct Setting {
  std::string key;
  std::string help;
};

/// What the command line of a bench program says, checked, in the units of the types.
struct Options {
  std::uint64_t order_seed = 0;  ///< 0 keeps the order of the table
  std::chrono::nanoseconds measure_for{};
  std::chrono::nanoseconds timeout{};   ///< for one whole cell, its start included
  std::vector<std::string> contenders;  ///< empty: all of the program's
  std::vector<std::string> cells;       ///< row names to measure instead of the default matrix
  std::string filter;                   ///< --benchmark_filter; empty: all rows
  int subject_cpu = 0;
  int load_cpu = 0;
  std::optional<std::filesystem::path> histograms;
  bool strict = false;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;
  std::map<std::string, std::string, std::less<>> settings;

  /// The values for a parameter of the program.
  [[nodiscard]] const std::vector<std::string>& list(std::string_view key) const;
  /// The text of a setting of the program, empty when it was not given.
  [[nodiscard]] const std::string& setting(std::string_view key) const;
};

/// What there is to know before any cell can be named.
struct Usage {
  std::string program;
  std::string summary;
  std::chrono::duration<double> measure_for;
  std::vector<std::string> contenders;
  std::vector<Parameter> parameters;
  std::vector<Setting> settings;
};

/// Options, or the exit status of a program that has said all there is to say (0 after --help,
/// 2 after one line about bad usage). Arguments of Google Benchmark (`--benchmark_…`, `--v=`) are
/// handed over in `benchmark_argv`, argv[0] first, those that benchmark_objection() lets pass; but
/// for the filter, which is ours to apply.
struct ParsedCommandLine {
  std::optional<Options> options;
  int exit_status = 0;
  std::vector<std::string> benchmark_argv;
};
ParsedCommandLine parse_command_line(int argc, char** argv, const Usage& usage);

}  // namespace harness
