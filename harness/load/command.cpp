// SPDX-License-Identifier: BSL-1.0
#include "harness/load/command.hpp"

#include <cerrno>
#include <exception>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <system_error>

#include "harness/exit_status.hpp"
#include "harness/flags.hpp"
#include "harness/interrupt.hpp"
#include "harness/load/measurement.hpp"
#include "harness/load/report.hpp"
#include "harness/row.hpp"
#include "harness/standard_streams.hpp"
#include "harness/whole_file.hpp"

namespace harness::load {
namespace {

const Manual manual{
    "yardstack-load",
    "Drives an echo server over TCP or a Unix-domain socket, verifies every byte, and "
    "tells latency and,\ngiven its process, the server's CPU time. With --against, two "
    "servers are driven in alternating slices.",
    "Addresses: HOST:PORT (IPv4), unix:/PATH, unix:@ABSTRACT-NAME. "
    "One thread; latency counts from the intended time of sending."};

struct Arguments {
  std::string target;
  std::string against;
  std::uint64_t target_pid = 0;
  std::uint64_t against_pid = 0;
  double seconds = 5;
  double warm_up = 0.5;
  double timeout = 5;
  int cpu = -1;
  std::string json;
  Plan plan;
};

std::vector<Flag> flags_into(Arguments& arguments) {
  return {{"--target", "the server", &arguments.target},
          {"--target-pid", "its process, for its CPU time", &arguments.target_pid},
          {"--against", "a second server to compare it with", &arguments.against},
          {"--against-pid", "the process of that one", &arguments.against_pid},
          {"--connections", "to each server", &arguments.plan.connections},
          {"--active", "how many of them send; 0: all", &arguments.plan.active},
          {"--bytes", "of a message", &arguments.plan.bytes},
          {"--rate", "messages a second on a fixed schedule; 0: each when the last is answered",
           &arguments.plan.rate},
          {"--seconds", "measured time", &arguments.seconds},
          {"--warm-up", "seconds before that, not measured", &arguments.warm_up},
          {"--timeout", "seconds to wait for an answer", &arguments.timeout},
          {"--cpu", "the CPU to run on; -1: any", &arguments.cpu},
          {"--json", "file for all figures and the histograms", &arguments.json}};
}

class BadUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::chrono::nanoseconds seconds_of(std::string_view flag, double seconds, double least) {
  constexpr double longest = 86'400;
  if (!(seconds >= least && seconds <= longest)) {
    throw BadUsage{fmt::format("{}: {} is not from {} to {}", flag, seconds, least, longest)};
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>{seconds});
}

Target target_of(std::string_view flag, const std::string& text, std::uint64_t pid) {
  std::error_code error;
  Target target{Address::parse(text, error), static_cast<pid_t>(pid)};
  if (error) throw BadUsage{fmt::format("{}: '{}' is no HOST:PORT and no unix:PATH", flag, text)};
  constexpr std::uint64_t largest_pid = 1u << 22;
  if (pid > largest_pid) throw BadUsage{fmt::format("{}-pid: {} is no process", flag, pid)};
  return target;
}

Plan checked_plan(const Arguments& arguments) {
  Plan plan = arguments.plan;
  plan.target = target_of("--target", arguments.target, arguments.target_pid);
  if (arguments.against.empty() && arguments.against_pid != 0) {
    throw BadUsage{"--against-pid: of which server? Name it, too: --against=HOST:PORT"};
  }
  if (!arguments.against.empty()) {
    plan.against = target_of("--against", arguments.against, arguments.against_pid);
  }
  plan.measure = seconds_of("--seconds", arguments.seconds, 0.001);
  plan.warm_up = seconds_of("--warm-up", arguments.warm_up, 0);
  plan.timeout = seconds_of("--timeout", arguments.timeout, 0.001);
  if (const std::string objection = plan.objection(); !objection.empty()) throw BadUsage{objection};
  if (!arguments.json.empty()) {
    if (const std::error_code error = check_writable(arguments.json)) {
      throw BadUsage{fmt::format("--json: {}: {}", arguments.json, error.message())};
    }
  }
  return plan;
}

void settle_on(int cpu) {
  if (::prctl(PR_SET_TIMERSLACK, 1) != 0) {
    throw std::system_error{errno, std::generic_category(), "PR_SET_TIMERSLACK"};
  }
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw BadUsage{fmt::format("--cpu: {} cannot be run on", cpu)};
  }
}

int write_file(const Measurement& measurement, const std::string& path) {
  const std::error_code error =
      path.empty() ? std::error_code{} : write_json(path, json_fields(measurement));
  if (!error) return 0;
  fmt::print(stderr, "failed: {} could not be written: {}\n", path, error.message());
  return 1;
}

int exit_status_of(const Failure& failure) {
  const std::string_view text = failure.what();
  if (text.starts_with("interrupted:")) return was_interrupted;
  return failure.is_defect() ? 1 : 0;
}

// What was measured before a failure is shown all the same.
int measure(Measurement& measurement, const std::string& json) {
  int status = 0;
  std::string last_word;
  try {
    measurement.connect(measurement.plan().connections);
    measurement.warm_up();
    measurement.measure();
    last_word = verdict(measurement);
    status = last_word.empty() ? 0 : 1;
  } catch (const Failure& failure) {
    last_word = failure.what();
    status = exit_status_of(failure);
  }
  if (measurement.sides().front()->tally().operations > 0) {
    fmt::print("{}", summary(measurement));
    if (write_file(measurement, json) != 0 && status == 0) status = 1;
  }
  if (!last_word.empty()) fmt::print(stderr, "{}\n", last_word);
  if (const std::string loss = loss_on_standard_output(); !loss.empty() && json.empty()) {
    fmt::print(stderr, "{}\n", loss);
    if (status == 0) status = 1;
  }
  return status;
}

}  // namespace

int run_command(int argc, char** argv) {
  open_missing_standard_descriptors();
  Arguments arguments;
  if (const auto said = parse_flags({argv + 1, argv + argc}, manual, flags_into(arguments))) {
    return *said;
  }
  try {
    const Plan plan = checked_plan(arguments);
    settle_on(arguments.cpu);
    catch_interrupts();
    ignore_full_files();
    if (!arguments.json.empty()) ignore_vanished_readers();
    Measurement measurement{plan};
    return measure(measurement, arguments.json);
  } catch (const BadUsage& objection) {
    return refuse_usage(manual, objection.what());
  } catch (const Failure& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return exit_status_of(failure);
  } catch (const std::exception& error) {
    fmt::print(stderr, "failed: {}\n", error.what());
    return 1;
  }
}

}  // namespace harness::load
