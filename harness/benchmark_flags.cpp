// SPDX-License-Identifier: BSL-1.0
#include "harness/benchmark_flags.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>

#include "harness/whole_file.hpp"

namespace harness {

namespace {

constexpr std::string_view once =
    "a row is measured once, in batches; call again for another block (scripts/reproduce does)";
constexpr std::string_view by_time = "--seconds=S is the measured time of a row";

struct Refused {
  std::string_view flag;
  std::string_view instead;
};

/// What changes nothing here, or what makes figures of several rows that are no figure of any.
constexpr Refused refused[] = {
    {"benchmark_repetitions", once},
    {"benchmark_report_aggregates_only", once},
    {"benchmark_display_aggregates_only", once},
    {"benchmark_min_time", by_time},
    {"benchmark_min_warmup_time", by_time},
    {"benchmark_enable_random_interleaving", "--order-seed=N shuffles the rows"},
    {"benchmark_perf_counters", "they would count the process that waits for the measured one"},
    {"benchmark_time_unit", "each counter has its unit in its name"},
};

/// What decides which rows there are and where they go: said with the call, or not at all.
constexpr std::string_view only_as_flags[] = {"benchmark_out", "benchmark_out_format",
                                              "benchmark_filter"};

/// The environment's name for a flag.
std::string variable_of(std::string_view flag) {
  std::string variable{flag};
  std::ranges::transform(variable, variable.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return variable;
}

std::string file_objection(const std::string& path) {
  const std::error_code error = check_writable(path);
  return error ? fmt::format("--benchmark_out: cannot write {}: {}", path, error.message()) : "";
}

}  // namespace

bool is_benchmark_flag(std::string_view argument) {
  return argument.starts_with("--benchmark_") || argument.starts_with("--v=");
}

std::optional<std::string> value_of(std::string_view argument, std::string_view name) {
  const std::string prefix = fmt::format("--{}=", name);
  if (!argument.starts_with(prefix)) return std::nullopt;
  return std::string{argument.substr(prefix.size())};
}

std::string benchmark_objection(std::string_view argument) {
  for (const auto& [flag, instead] : refused) {
    if (argument.substr(2, argument.find('=') - 2) != flag) continue;
    return fmt::format("--{} cannot be used here: {}", flag, instead);
  }
  for (const auto* name : {"benchmark_format", "benchmark_out_format"}) {
    const auto format = value_of(argument, name);
    if (format && *format != "console" && *format != "json" && *format != "csv") {
      return fmt::format("--{}: {} is none of console, json, csv", name, *format);
    }
  }
  const auto out = value_of(argument, "benchmark_out");
  return out && !out->empty() ? file_objection(*out) : std::string{};
}

std::string benchmark_environment_objection() {
  for (const auto& [flag, instead] : refused) {
    const std::string variable = variable_of(flag);
    if (std::getenv(variable.c_str()) == nullptr) continue;
    return fmt::format("{} cannot be used here: {}; unset it", variable, instead);
  }
  for (const std::string_view flag : only_as_flags) {
    const std::string variable = variable_of(flag);
    if (std::getenv(variable.c_str()) == nullptr) continue;
    return fmt::format("{}: unset it and use --{}", variable, flag);
  }
  return {};
}

}  // namespace harness
