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
    if (executor_->is_current()) [[likely]] {
      return set_here();
    }
    set_from_elsewhere();
  }
  /// A future of the next set. Dropped while pending it loses nothing: the event stays set.
  [[nodiscard]] Wait wait() noexcept;
  /// The same, for a future that keeps no future for it.
  Poll<void> poll_wait(Context& context) {
    if (state_ >= State::set) {
      if (state_ == State::shared) [[unlikely]] {
        return poll_wait_shared(context);
      }
      if (!context.may_proceed()) [[unlikely]] {
        return pending;
      }
      state_ = State::empty;
      return ready;
    }
    if (!waiter_.will_wake(context.waker())) [[unlikely]] {
      change_waiter(context);
    }
    state_ = State::awaited;
    return pending;
  }

 private:
  class Lock;
  /// Of an event that belongs to one thread; one that is shared stays so.
  enum class State : unsigned char { empty, awaited, set, shared };

  Event(Executor& executor, bool shared) noexcept;

  static const PostedOperations table;
  static void deliver(Posted& posted) noexcept;

  void set_here() noexcept {
    const State before = state_;
    if (before == State::shared) [[unlikely]] {
      return set_shared();
    }
    state_ = State::set;
    if (before == State::awaited) waiter_.wake_by_ref();
  }
  void set_from_elsewhere() noexcept;
  void change_waiter(Context& context);
  void set_shared() noexcept;
  Poll<void> poll_wait_shared(Context& context);
  void forget_shared_waiter() noexcept;
  void forget_waiter() noexcept {
    if (shared_) return forget_shared_waiter();
    if (state_ == State::awaited) state_ = State::empty;
    waiter_.reset();
  }

  Executor* executor_;
  // Kept from one wait to the next: a task that waits again and again clones no waker. So an event
  // can keep the memory (not the future) of the last task that waited for it.
  Waker waiter_;
  State state_;
  const bool shared_;
  bool shared_set_ = false;
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
