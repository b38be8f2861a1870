// SPDX-License-Identifier: BSL-1.0
#include "harness/options.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include "harness/benchmark_flags.hpp"
#include "harness/flags.hpp"
#include "harness/pin.hpp"

namespace harness {

namespace {

constexpr std::string_view footer =
    "Everything that begins with --benchmark_ is Google Benchmark's: --benchmark_filter=REGEX\n"
    "--benchmark_list_tests --benchmark_format=console|json|csv --benchmark_out=FILE\n"
    "--benchmark_out_format=json|console|csv --benchmark_counters_tabular=true …; not its\n"
    "repetitions and times: a row is measured once, for --seconds.";

void check(const std::string& objection) {
  if (!objection.empty()) throw std::invalid_argument{objection};
}

int checked_cpu(std::string_view flag, int cpu) {
  const auto cpus = allowed_cpus();
  if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) {
    throw std::invalid_argument{
        fmt::format("{}: CPU {} is none of this process's: {}", flag, cpu, fmt::join(cpus, ", "))};
  }
  return cpu;
}

std::chrono::nanoseconds checked_seconds(std::string_view flag, double seconds) {
  constexpr double longest = 86'400;
  if (!(seconds > 0) || seconds > longest) {
    throw std::invalid_argument{fmt::format("{}: {} is not in (0, {}]", flag, seconds, longest)};
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>{seconds});
}

std::filesystem::path writable_folder(std::string_view flag, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (error) {
    throw std::invalid_argument{
        fmt::format("{}: cannot write in {}: {}", flag, folder, error.message())};
  }
  return folder;
}

/// The command line as CLI11 fills it in, before its values are checked.
struct Raw {
  std::string order_seed = "0";
  double seconds;
  double timeout = 120;
  int subject_cpu;
  int load_cpu;
  std::string histograms;
  std::vector<std::string> contenders;
  std::vector<std::string> cells;
  std::string filter;
  bool strict = false;
  std::vector<std::vector<std::string>> lists;
  std::vector<std::string> settings;
};

std::vector<Flag> flags_into(Raw& raw, const Usage& usage) {
  std::vector<Flag> flags{
      {"--order-seed", "shuffle the cells; 0: as in the table", &raw.order_seed},
      {"--seconds", "measured time of a cell", &raw.seconds},
      {"--timeout", "seconds after which a cell is given up", &raw.timeout},
      {"--contenders", "only these, separated by commas", &raw.contenders},
      {"--cell", "measure these rows instead of the default matrix", &raw.cells},
      {"--subject-cpu", "CPU of the measured process", &raw.subject_cpu},
      {"--load-cpu", "CPU of the load generator", &raw.load_cpu},
      {"--histograms", "folder for the histogram files", &raw.histograms},
      {"--strict", "noise and client-limited rows count as failures", &raw.strict}};
  for (std::size_t i = 0; i < usage.parameters.size(); ++i) {
    const auto& parameter = usage.parameters[i];
    flags.push_back({"--" + parameter.key, parameter.help, &raw.lists[i]});
  }
  for (std::size_t i = 0; i < usage.settings.size(); ++i) {
    flags.push_back({"--" + usage.settings[i].key, usage.settings[i].help, &raw.settings[i]});
  }
  return flags;
}

Options checked(const Raw& raw, const Usage& usage) {
  Options options;
  const auto seed = parse_number(raw.order_seed);
  if (!seed)
    throw std::invalid_argument{fmt::format("--order-seed: {} is no number", raw.order_seed)};
  options.order_seed = *seed;
  options.measure_for = checked_seconds("--seconds", raw.seconds);
  options.timeout = checked_seconds("--timeout", raw.timeout);
  for (const auto& contender : raw.contenders) {
    const auto& known = usage.contenders;
    if (std::find(known.begin(), known.end(), contender) == known.end()) {
      throw std::invalid_argument{fmt::format("--contenders: {} is unknown; there are: {}",
                                              contender, fmt::join(known, ", "))};
    }
  }
  options.contenders = raw.contenders;
  options.cells = raw.cells;
  options.filter = raw.filter;
  options.subject_cpu = checked_cpu("--subject-cpu", raw.subject_cpu);
  options.load_cpu = checked_cpu("--load-cpu", raw.load_cpu);
  if (!raw.histograms.empty()) options.histograms = writable_folder("--histograms", raw.histograms);
  options.strict = raw.strict;
  for (std::size_t i = 0; i < usage.parameters.size(); ++i) {
    const auto& parameter = usage.parameters[i];
    auto& list = options.lists[parameter.key];
    for (const auto& value : raw.lists[i]) {
      check(parameter.objection(value));
      list.push_back(canonical(value));
    }
  }
  for (std::size_t i = 0; i < usage.settings.size(); ++i) {
    options.settings.emplace(usage.settings[i].key, raw.settings[i]);
  }
  return options;
}

}  // namespace

std::string Parameter::objection(std::string_view value) const {
  if (std::find(words.begin(), words.end(), value) != words.end()) return {};
  const bool numeric = words.empty() || maximum > 0;
  const auto number = parse_number(value);
  if (numeric && number && *number >= minimum && *number <= maximum) return {};
  if (!numeric) return fmt::format("{}: {} is none of {}", key, value, fmt::join(words, ", "));
  return fmt::format("{}: {} is no number from {} to {}{}", key, value, minimum, maximum,
                     words.empty() ? "" : fmt::format(" and not {}", fmt::join(words, ", ")));
}

const std::vector<std::string>& Options::list(std::string_view key) const {
  const auto found = lists.find(key);
  if (found == lists.end()) throw std::logic_error{fmt::format("no parameter {} declared", key)};
  return found->second;
}

const std::string& Options::setting(std::string_view key) const {
  const auto found = settings.find(key);
  if (found == settings.end()) throw std::logic_error{fmt::format("no setting {} declared", key)};
  return found->second;
}

ParsedCommandLine parse_command_line(int argc, char** argv, const Usage& usage) {
  ParsedCommandLine parsed;
  parsed.benchmark_argv.emplace_back(argv[0]);
  std::vector<std::string> ours;
  const auto cpus = allowed_cpus();
  Raw raw{};
  raw.seconds = usage.measure_for.count();
  raw.subject_cpu = cpus.back();
  raw.load_cpu = cpus.front();
  for (const auto& parameter : usage.parameters) raw.lists.push_back(parameter.defaults);
  raw.settings.resize(usage.settings.size());
  const Manual manual{usage.program, usage.summary, std::string{footer}};
  try {
    check(benchmark_environment_objection());
    for (int i = 1; i < argc; ++i) {
      if (!is_benchmark_flag(argv[i])) {
        ours.emplace_back(argv[i]);
        continue;
      }
      check(benchmark_objection(argv[i]));
      if (auto filter = value_of(argv[i], "benchmark_filter")) {
        raw.filter = std::move(*filter);
      } else {
        parsed.benchmark_argv.emplace_back(argv[i]);
      }
    }
    if (const auto status = parse_flags(std::move(ours), manual, flags_into(raw, usage))) {
      parsed.exit_status = *status;
    } else {
      parsed.options = checked(raw, usage);
    }
  } catch (const std::invalid_argument& error) {
    parsed.exit_status = refuse_usage(manual, error.what());
  }
  return parsed;
}

}  // namespace harness
