// SPDX-License-Identifier: BSL-1.0
#include "harness/load/server_clock.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <system_error>
#include <thread>

#include "harness/row.hpp"

namespace harness::load {
namespace {

/// A server that has given its last answer looks for more and waits: some microseconds.
constexpr std::chrono::microseconds to_fall_asleep{250};

std::chrono::nanoseconds as_duration(const timespec& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

Failure gone(pid_t pid) {
  return Failure{fmt::format("failed: no process {} to measure", pid)};
}

}  // namespace

ServerClock::ServerClock(pid_t pid) : pid_{pid} {
  if (::clock_getcpuclockid(pid, &clock_) != 0) throw gone(pid);
}

std::chrono::nanoseconds ServerClock::now() const {
  timespec time{};
  if (::clock_gettime(clock_, &time) != 0) throw gone(pid_);
  return as_duration(time);
}

std::chrono::nanoseconds ServerClock::at_rest() const {
  std::this_thread::sleep_for(to_fall_asleep);
  return now();
}

std::chrono::nanoseconds own_cpu_time() {
  timespec time{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) {
    throw std::system_error{errno, std::generic_category(), "clock_gettime"};
  }
  return as_duration(time);
}

}  // namespace harness::load
