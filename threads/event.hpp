// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>

namespace threads {

class Scheduler;

/// Auto-reset and sticky, one waiter: a set() is remembered until one wait() takes it, several that
/// come before that wait count as one. A bare futex word: a call into the kernel is made only to
/// sleep and only to end a sleep (Drepper, "Futexes Are Tricky").
class Event {
 public:
  explicit Event(Scheduler&) noexcept {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread. The waiter may destroy the event as soon as its wait has returned, even while this
  /// call is still on its way to wake it.
  void set() noexcept;
  /// Blocks the calling thread until the event is set, and takes it. One thread at a time.
  void wait() noexcept;

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t is_set = 1;
  static constexpr std::uint32_t awaited = 2;

  std::atomic<std::uint32_t> state_{empty};
};

}  // namespace threads
