// SPDX-License-Identifier: BSL-1.0
#include "harness/pin.hpp"

#include <cerrno>
#include <sched.h>
#include <system_error>

namespace harness {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error{errno, std::system_category(), "sched_getaffinity"};
  }
  std::vector<int> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

void allow_cpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error{errno, std::system_category(), "sched_setaffinity"};
  }
}

void pin_this_thread(std::size_t which) {
  const auto cpus = allowed_cpus();
  allow_cpus({cpus[which % cpus.size()]});
}

}  // namespace harness
