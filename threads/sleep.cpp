// SPDX-License-Identifier: BSL-1.0
#include "threads/sleep.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <sched.h>

#include "io/counters.hpp"

namespace threads {
namespace {

/// Moments before the clock's zero are clipped to it: the kernel calls them invalid.
timespec kernel_time(io::TimePoint moment) noexcept {
  const auto since_start = std::max(moment.time_since_epoch(), io::TimePoint::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_start);
  const std::chrono::nanoseconds rest = since_start - seconds;
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<long>(rest.count())};
}

}  // namespace

void sleep_until(io::TimePoint deadline) noexcept {
  const timespec until = kernel_time(deadline);
  int error = EINTR;
  while (error == EINTR) {
    io::count(io::SystemCall::wait);
    error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  if (error != 0) {
    std::abort();
  }
}

void yield() noexcept {
  io::count(io::SystemCall::yield);
  if (sched_yield() != 0) {
    std::abort();
  }
}

}  // namespace threads
