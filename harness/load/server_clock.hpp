// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <sys/types.h>

namespace harness::load {

/// The CPU time that all threads of another process have used, dead ones included
/// (clock_getcpuclockid; schedstat sees only one thread). Exact while they wait; of one that runs,
/// the kernel brings it up to date only at each tick, every 4 ms at 250 Hz
/// (kernel/sched/cputime.c, thread_group_cputime).
class ServerClock {
 public:
  /// Throws Failure when there is no such process.
  explicit ServerClock(pid_t pid);
  /// Throws Failure when the process has gone.
  [[nodiscard]] std::chrono::nanoseconds now() const;
  /// When the process has just been left without work: gives it the time to go to sleep before.
  /// Throws Failure when the process has gone.
  [[nodiscard]] std::chrono::nanoseconds at_rest() const;

 private:
  pid_t pid_;
  clockid_t clock_{};
};

/// The CPU time of this process.
std::chrono::nanoseconds own_cpu_time();

}  // namespace harness::load
