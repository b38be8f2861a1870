// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace harness {

/// A flag of the command line: what it is called, what it is for, and where its value goes, whose
/// present value is the default. A list takes values separated by commas.
struct Flag {
  std::string name;
  std::string help;
  std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::vector<std::string>*> value;
};

/// What --help says around the flags.
struct Manual {
  std::string program;
  std::string summary;
  std::string footer{};
};

/// Reads the arguments (without argv[0]) into the flags. Returns the exit status of a program that
/// has said all there is to say: 0 after --help, usage_error after one line on standard error.
std::optional<int> parse_flags(std::vector<std::string> arguments, const Manual& manual,
                               std::span<const Flag> flags);

/// Says `PROGRAM: OBJECTION` on standard error; returns usage_error.
int refuse_usage(const Manual& manual, const std::string& objection);

}  // namespace harness
