// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "io/clock.hpp"
#include "io/timing_wheel.hpp"

namespace io {

/// How many tasks a worker runs between two looks at the reactor, in every user-space room.
inline constexpr unsigned poll_budget = 61;

/// What a worker waits on: epoll, the timing wheel, and an eventfd for other threads.
class Reactor {
 public:
  Reactor();  ///< throws std::system_error when a descriptor cannot be had
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// Waits until `deadline`, the next timer, an event or a wake, whichever is first; then notifies
  /// every waiter concerned. A deadline that has passed only looks. Nanosecond waits (epoll_pwait2,
  /// with a fall-back found at run time). Returns the number of waiters notified.
  std::size_t turn(TimePoint deadline);

  /// Ends the current or the next turn. Any thread; async-signal-safe; wakes are coalesced.
  void wake() noexcept;

  TimingWheel& timers() noexcept;
};

}  // namespace io
