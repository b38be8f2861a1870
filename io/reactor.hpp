// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <sys/epoll.h>
#include <system_error>

#include "io/budget.hpp"
#include "io/clock.hpp"
#include "io/socket.hpp"
#include "io/timing_wheel.hpp"

namespace io {

class Source;

/// How to wait with nanoseconds. `epoll_pwait2` needs Linux 5.11 (and a tracer that knows it);
/// `ppoll` on the epoll descriptor, followed by a look, does the same in two system calls.
enum class WaitMethod { epoll_pwait2, ppoll };

/// What a worker waits on: epoll, the timing wheel, and an eventfd for other threads.
/// Belongs to one thread, but for `wake`.
class Reactor {
 public:
  /// Throws std::system_error when a descriptor cannot be had. `epoll_pwait2` gives way to `ppoll`
  /// at the first ENOSYS.
  explicit Reactor(WaitMethod preferred = WaitMethod::epoll_pwait2);
  /// No source may be left; timers still armed are forgotten.
  ~Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// Waits until `deadline`, the next timer, an event or a wake, whichever is first; then notifies
  /// every waiter concerned. A deadline that has passed only looks. Signals do not end it (a
  /// handler can `wake`). Returns the number of waiters notified. Not to be called from a `notify`.
  /// Throws std::system_error when the kernel refuses to wait: a fault in the program.
  std::size_t turn(TimePoint deadline);

  /// A turn that only looks, for a worker that is busy: call it every poll_budget tasks. Does
  /// nothing when the last look was less than look_interval ago, and does not even ask the clock
  /// while there is no source and no timer.
  std::size_t look() { return awaits_nothing() ? 0 : look_around(); }
  /// Neither source nor timer: nothing but a wake can end a turn.
  [[nodiscard]] bool awaits_nothing() const noexcept {
    return sources_ == 0 && timers_.size() == 0;
  }

  /// Ends the current or the next turn. Any thread; async-signal-safe; wakes are coalesced. What
  /// the waker wrote before is visible to the owner after that turn.
  void wake() noexcept;

  TimingWheel& timers() noexcept { return timers_; }
  [[nodiscard]] WaitMethod wait_method() const noexcept { return wait_method_; }

 private:
  friend class Source;
  std::error_code add(Source& source) noexcept;
  void remove(const Source& source) noexcept;

  std::size_t look_around();
  std::size_t collect(TimePoint deadline);
  int wait(std::optional<Duration> longest) noexcept;
  int wait_in_two_steps(std::optional<Duration> longest) noexcept;
  std::size_t dispatch() noexcept;
  std::size_t end_rests() noexcept;
  static void unlink(Source*& list, const Source& source) noexcept;

  WaitMethod wait_method_;
  Descriptor epoll_;
  Descriptor wake_;
  std::atomic<bool> wake_pending_{false};
  TimingWheel timers_;
  TimePoint next_look_{};
  std::size_t sources_ = 0;    // registered
  Source* resting_ = nullptr;  // sources to be notified in the next turn,
  Source* rested_ = nullptr;   // and what is left of those in this one
  // The events of this turn that wait for delivery. A source that goes away meanwhile is struck
  // out.
  std::size_t delivered_ = 0;
  std::size_t collected_ = 0;
  std::array<epoll_event, 256> batch_;
};

}  // namespace io
