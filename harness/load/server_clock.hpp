// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <sys/types.h>

namespace harness::load {

/// The CPU time that all threads of another process have used, dead ones included, precise to the
/// moment even while it runs on another CPU (clock_getcpuclockid; schedstat sees only one thread).
class ServerClock {
 public:
  /// Throws Failure when there is no such process.
  explicit ServerClock(pid_t pid);
  /// Throws Failure when the process has gone.
  [[nodiscard]] std::chrono::nanoseconds now() const;

 private:
  pid_t pid_;
  clockid_t clock_{};
};

/// The CPU time of this process.
std::chrono::nanoseconds own_cpu_time();

}  // namespace harness::load
