// SPDX-License-Identifier: BSL-1.0
#include "harness/resource_usage.hpp"

#include <cerrno>
#include <ctime>
#include <fmt/format.h>
#include <numeric>
#include <sys/resource.h>
#include <system_error>

#include "harness/allocations.hpp"
#include "io/counters.hpp"

namespace harness {

ResourceUsage ResourceUsage::now() {
  ResourceUsage usage;
  timespec cpu{};
  rusage process{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0 || getrusage(RUSAGE_SELF, &process) != 0) {
    throw std::system_error{errno, std::system_category(), "CPU time of this process"};
  }
  const auto& made = io::system_calls().made;
  usage.cpu = std::chrono::seconds{cpu.tv_sec} + std::chrono::nanoseconds{cpu.tv_nsec};
  usage.system_calls = std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  usage.involuntary_switches = static_cast<std::uint64_t>(process.ru_nivcsw);
  usage.allocations = harness::allocations();
  usage.at = io::Clock::now();
  return usage;
}

void Consumption::report(Port& port, std::string_view unit, std::uint64_t operations,
                         SystemCallCount calls) const {
  const auto each = [operations](std::uint64_t later, std::uint64_t earlier) {
    return static_cast<double>(later - earlier) / static_cast<double>(operations);
  };
  const std::chrono::duration<double> cpu = to.cpu - from.cpu;
  port.result("cpu_share", cpu / elapsed());
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
