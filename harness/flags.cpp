// SPDX-License-Identifier: BSL-1.0
#include "harness/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

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

}  // namespace

std::optional<int> parse_flags(std::vector<std::string> arguments, const Manual& manual,
                               std::span<const Flag> flags) {
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
