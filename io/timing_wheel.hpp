// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "io/clock.hpp"
#include "io/waiter.hpp"

namespace io {

/// One deadline. Intrusive: lives in whoever sleeps, must stay put while armed.
struct Timer : Waiter {
  Timer* previous = nullptr;
  Timer* next = nullptr;
  TimePoint deadline{};

  [[nodiscard]] bool armed() const noexcept { return previous != nullptr; }
};

/// INTERFACE, see io/timing_wheel.cpp: a hierarchical timing wheel (Varghese and Lauck, 1987).
class TimingWheel {
 public:
  explicit TimingWheel(TimePoint start);
  /// Arms `timer` for `deadline`; O(1). A deadline in the past fires at the next advance.
  void insert(Timer& timer, TimePoint deadline) noexcept;
  /// Disarms; O(1); nothing happens for one that is not armed.
  void cancel(Timer& timer) noexcept;
  /// Fires every timer with deadline <= now, never early; returns how many.
  std::size_t advance(TimePoint now) noexcept;
  /// No timer has to fire before this moment; `never` when none is armed. Never later than the
  /// earliest tick boundary at which a timer is due; can be earlier (a cascade).
  [[nodiscard]] TimePoint next_due() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
};

}  // namespace io
