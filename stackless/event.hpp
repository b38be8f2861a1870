// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>

#include "stackless/executor.hpp"
#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/inbox.hpp"
#include "stackless/runtime.hpp"

namespace stackless {

/// Auto-reset and sticky, one waiter: a set() is remembered until one wait takes it, several that
/// come before that wait count as one. Belongs to the executor's thread, but for set(); made for a
/// runtime of several workers it belongs to all of them, and a lock keeps it.
class Event : private Posted {
 public:
  class Wait;

  explicit Event(Executor& executor) noexcept : Event{executor, false} {}
  explicit Event(Runtime& runtime) noexcept : Event{runtime.here(), runtime.is_shared()} {}
  /// Nobody may be waiting. A set() by another thread that is still under way is waited for.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread; from another than the owner's it travels through the inbox.
  void set() noexcept {
    if (shared_) [[unlikely]] {
      return set_shared();
    }
    if (executor_->is_current()) return set_here();
    set_from_elsewhere();
  }
  /// A future of the next set. Dropped while pending it loses nothing: the event stays set.
  [[nodiscard]] Wait wait() noexcept;
  /// The same, for a future that keeps no future for it.
  Poll<void> poll_wait(Context& context) {
    if (shared_) [[unlikely]] {
      return poll_wait_shared(context);
    }
    if (set_) {
      if (!context.may_proceed()) return pending;
      set_ = false;
      return ready;
    }
    if (!waiter_.will_wake(context.waker())) {
      context.stay_on_this_thread();
      waiter_.clone_from(context.waker());
    }
    waiting_ = true;
    return pending;
  }

 private:
  class Lock;

  Event(Executor& executor, bool shared) noexcept;

  static const PostedOperations table;
  static void deliver(Posted& posted) noexcept;

  void set_here() noexcept {
    set_ = true;
    if (!waiting_) return;
    waiting_ = false;
    waiter_.wake_by_ref();
  }
  void set_from_elsewhere() noexcept;
  void set_shared() noexcept;
  Poll<void> poll_wait_shared(Context& context);
  void forget_shared_waiter() noexcept;
  void forget_waiter() noexcept {
    if (shared_) return forget_shared_waiter();
    waiting_ = false;
    waiter_.reset();
  }

  Executor* executor_;
  // Kept from one wait to the next: a task that waits again and again clones no waker. So an event
  // can keep the memory (not the future) of the last task that waited for it.
  Waker waiter_;
  bool set_ = false;
  bool waiting_ = false;
  const bool shared_;
  std::atomic<bool> posted_{false};
  std::atomic<bool> locked_{false};
};

class Event::Wait {
 public:
  using Output = void;

  explicit Wait(Event& event) noexcept : event_{&event} {}
  ~Wait() {
    if (waiting_) event_->forget_waiter();
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  Poll<void> poll(Context& context) {
    if (event_ == nullptr) polled_after_completion();
    waiting_ = event_->poll_wait(context).is_pending();
    if (waiting_) return pending;
    event_ = nullptr;
    return ready;
  }

 private:
  Event* event_;
  bool waiting_ = false;
};
static_assert(Future<Event::Wait>);

inline Event::Wait Event::wait() noexcept {
  return Wait{*this};
}

}  // namespace stackless
