// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/fault.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// How many operations one poll of a task may complete. An event that is always set, or a channel
/// that is always full, would else keep the worker to one task for ever.
inline constexpr unsigned operation_budget = 128;

/// What a poll is told: whom to wake, and how much it may do. Lives as long as the poll, so a
/// future that is not done clones the waker. Freestanding.
class Context {
 public:
  struct Moving {};
  static constexpr Moving moving{};

  explicit Context(const Waker& waker) noexcept : waker_{&waker} {}
  /// For a task that another worker may poll the next time.
  Context(const Waker& waker, Moving) noexcept : waker_{&waker}, moves_{true} {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Waker& waker() const noexcept { return *waker_; }

  /// A future that belongs to this thread (its reactor, its wheel) calls this before it waits.
  void stay_on_this_thread() const {
    if (moves_) fault("a future that belongs to one thread was awaited by a task that may move");
  }

  /// A future that talks to the world calls this before it completes an operation that it could
  /// complete at once. False: the task has done enough for this poll; it has been woken again, and
  /// the future returns pending.
  [[nodiscard]] bool may_proceed() noexcept {
    if (left_ != 0) [[likely]] {
      --left_;
      return true;
    }
    waker_->wake_by_ref();
    return false;
  }

 private:
  friend class ChildContext;

  const Waker* waker_;
  unsigned left_ = operation_budget;
  bool moves_ = false;
};

/// For the poll of a child that is woken singly, within its parent's: it spends its parent's
/// budget. Freestanding.
class ChildContext : public Context {
 public:
  ChildContext(const Waker& waker, Context& parent) noexcept : Context{waker}, parent_{parent} {
    left_ = parent.left_;
    moves_ = parent.moves_;
  }
  ~ChildContext() { parent_.left_ = left_; }

 private:
  Context& parent_;
};

}  // namespace stackless
