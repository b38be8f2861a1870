// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/waker.hpp"

namespace stackless {

/// How many operations one poll of a task may complete. An event that is always set, or a channel
/// that is always full, would else keep the worker to one task for ever.
inline constexpr unsigned operation_budget = 128;

/// What a poll is told: whom to wake, and how much it may do. Lives as long as the poll, so a
/// future that is not done clones the waker. Freestanding.
class Context {
 public:
  explicit Context(const Waker& waker) noexcept : waker_{&waker}, left_{&own_} {}
  /// For a child that is woken singly: it spends its parent's budget.
  Context(const Waker& waker, Context& parent) noexcept : waker_{&waker}, left_{parent.left_} {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Waker& waker() const noexcept { return *waker_; }

  /// A future that talks to the world calls this before it completes an operation that it could
  /// complete at once. False: the task has done enough for this poll; it has been woken again, and
  /// the future returns pending.
  [[nodiscard]] bool may_proceed() noexcept {
    if (*left_ != 0) {
      --*left_;
      return true;
    }
    waker_->wake_by_ref();
    return false;
  }

 private:
  const Waker* waker_;
  unsigned* left_;
  unsigned own_ = operation_budget;
};

}  // namespace stackless
