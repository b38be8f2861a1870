// SPDX-License-Identifier: BSL-1.0
#include "harness/resource_usage.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fmt/format.h>
#include <numeric>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "harness/allocations.hpp"
#include "harness/pin.hpp"
#include "harness/proc_files.hpp"
#include "io/counters.hpp"

namespace harness {

namespace {

/// Ten ticks of 10 ms: who else was there is known by the tick.
constexpr std::chrono::milliseconds seen_in_ticks{100};

}  // namespace

// `user nice system idle iowait irq softirq steal …` of a CPU, in ticks.
std::optional<std::chrono::nanoseconds> busy_time(int cpu) {
  std::istringstream lines{read_text("/proc/stat")};
  const std::string wanted = fmt::format("cpu{}", cpu);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    std::array<std::uint64_t, 8> ticks{};
    words >> name;
    if (name != wanted) continue;
    for (std::uint64_t& each : ticks) words >> each;
    const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
    const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
    if (!words || ticks_per_s <= 0) return std::nullopt;
    const std::chrono::nanoseconds tick =
        std::chrono::nanoseconds{std::chrono::seconds{1}} / ticks_per_s;
    return tick * static_cast<std::chrono::nanoseconds::rep>(user + nice + system + steal);
  }
  return std::nullopt;
}

ResourceUsage ResourceUsage::at_start(std::span<const int> cpus) {
  ResourceUsage usage;
  usage.look_at(cpus);
  usage.look_at_process();
  return usage;
}

ResourceUsage ResourceUsage::at_end(std::span<const int> cpus) {
  ResourceUsage usage;
  usage.look_at_process();
  usage.look_at(cpus);
  return usage;
}

void ResourceUsage::look_at_process() {
  timespec spent{};
  rusage process{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0 ||
      getrusage(RUSAGE_SELF, &process) != 0) {
    throw std::system_error{errno, std::system_category(), "CPU time of this process"};
  }
  const auto& made = io::system_calls().made;
  cpu = std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
  system_calls = std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  involuntary_switches = static_cast<std::uint64_t>(process.ru_nivcsw);
  allocations = harness::allocations();
  at = io::Clock::now();
}

void ResourceUsage::look_at(std::span<const int> cpus) {
  if (cpus.empty()) {
    const auto allowed = allowed_cpus();
    if (allowed.size() == 1) look_at(allowed);
    return;
  }
  std::chrono::nanoseconds sum{};
  for (const int number : cpus) {
    const auto busy = busy_time(number);
    if (!busy) return;
    sum += *busy;
  }
  own_cpus = cpus.size();
  busy_cpu = sum;
}

void Consumption::report(Port& port, std::string_view unit, std::uint64_t operations,
                         SystemCallCount calls) const {
  const auto each = [operations](std::uint64_t later, std::uint64_t earlier) {
    return static_cast<double>(later - earlier) / static_cast<double>(operations);
  };
  const std::chrono::duration<double> cpu = to.cpu - from.cpu;
  port.result("cpu_share", cpu / elapsed());
  if (to.busy_cpu && from.busy_cpu && elapsed() >= seen_in_ticks) {
    const std::chrono::duration<double> others =
        *to.busy_cpu - *from.busy_cpu - (to.cpu - from.cpu);
    port.result("others_cpu_share",
                std::max(0.0, others / elapsed() / static_cast<double>(to.own_cpus)));
  }
  port.result("involuntary_switches",
              static_cast<double>(to.involuntary_switches - from.involuntary_switches));
  if (operations == 0) return;
  port.result(fmt::format("cpu_ns_per_{}", unit),
              1e9 * cpu.count() / static_cast<double>(operations));
  if (calls == SystemCallCount::present) {
    port.result(fmt::format("syscalls_per_{}", unit), each(to.system_calls, from.system_calls));
  }
  if (to.allocations && from.allocations) {
    port.result(fmt::format("allocs_per_{}", unit), each(*to.allocations, *from.allocations));
  }
}

}  // namespace harness
