// SPDX-License-Identifier: BSL-1.0
#include "harness/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "harness/exit_status.hpp"

namespace harness {
namespace {

struct Declare {
  CLI::App& app;
  const Flag& flag;

  void operator()(bool* value) const { app.add_flag(flag.name, *value, flag.help); }
  void operator()(std::vector<std::string>* values) const {
    app.add_option(flag.name, *values, flag.help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  }
  template <class T>
  void operator()(T* value) const {
    app.add_option(flag.name, *value, flag.help)->capture_default_str();
  }
};

/// CLI11 takes the next argument for a value that is left out after `=`. Empty, or the line about
/// the first value that is nothing.
std::string objection_to_nothing(const std::vector<std::string>& arguments) {
  std::string flag = "the first argument";
  for (const auto& argument : arguments) {
    const bool named = argument.starts_with("--");
    const auto value = named ? argument.find('=') : 0;
    if (named) flag = argument.substr(0, value);
    if (value == std::string::npos || argument.find_first_not_of("=,", value) != std::string::npos)
      continue;
    return fmt::format("{}: its value is empty; give one, or leave the flag out", flag);
  }
  return {};
}

}  // namespace

std::optional<int> parse_flags(std::vector<std::string> arguments, const Manual& manual,
                               std::span<const Flag> flags) {
  if (const auto objection = objection_to_nothing(arguments); !objection.empty()) {
    return refuse_usage(manual, objection);
  }
  CLI::App app{manual.summary, manual.program};
  app.footer(manual.footer);
  for (const Flag& flag : flags) std::visit(Declare{app, flag}, flag.value);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the arguments from the back
  try {
    app.parse(arguments);
    return std::nullopt;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return refuse_usage(manual, fmt::format("{} (--help tells more)", error.what()));
  }
}

int refuse_usage(const Manual& manual, const std::string& objection) {
  fmt::print(stderr, "{}: {}\n", manual.program, objection);
  return usage_error;
}

}  // namespace harness
