// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include "stackless/context.hpp"
#include "stackless/fault.hpp"
#include "stackless/poll.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// For what belongs to one thread: no lock at all.
struct NoLock {
  void lock() noexcept {}
  void unlock() noexcept {}
};

/// A task that waits in line for what a lock keeps. Lives in the future that waits: it is fresh,
/// waits, and is done.
class WaitNode {
 public:
  /// Before the lock is taken. False: pending, the task has done enough for this poll.
  [[nodiscard]] bool may_look(Context& context) const {
    if (step_ == Step::done) polled_after_completion();
    return step_ != Step::fresh || context.may_proceed();
  }
  /// Whether it has to leave before it goes.
  [[nodiscard]] bool is_waiting() const noexcept { return step_ == Step::waiting; }

 private:
  friend class WaitList;
  enum class Step : unsigned char { fresh, waiting, done };

  WaitNode* previous_ = nullptr;
  WaitNode* next_ = nullptr;
  Waker waker_;
  bool in_line_ = false;
  Step step_ = Step::fresh;
};

/// A line of waiting tasks, first come, first served. Intrusive; freestanding.
class WaitList {
 public:
  [[nodiscard]] WaitNode* front() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Puts `node` in line if it is fresh and `has_to_wait()`. Ready: it is not there, or no more.
  /// Pending: `context`'s task will be woken from now on. Whom it would have woken before is
  /// `replaced`, to be dropped once the lock has been released: it may be the last reference to a
  /// task.
  template <class HasToWait>
  Poll<> look(WaitNode& node, Context& context, Waker& replaced, HasToWait has_to_wait) noexcept {
    if (node.step_ == WaitNode::Step::fresh && has_to_wait()) push(node);
    node.step_ = node.in_line_ ? WaitNode::Step::waiting : WaitNode::Step::done;
    if (!node.in_line_) return ready;
    if (!node.waker_.will_wake(context.waker())) {
      replaced = std::exchange(node.waker_, context.waker().clone());
    }
    return pending;
  }
  /// Without effect on one that has been taken out already.
  void remove(WaitNode& node) noexcept {
    if (!node.in_line_) return;
    (node.previous_ != nullptr ? node.previous_->next_ : first_) = node.next_;
    (node.next_ != nullptr ? node.next_->previous_ : last_) = node.previous_;
    node.in_line_ = false;
    --size_;
  }
  /// Takes the first out of the line. Its waker is to be woken once the lock has been released: the
  /// node may be gone by then.
  [[nodiscard]] Waker take_first() noexcept {
    WaitNode& first = *first_;
    remove(first);
    return std::move(first.waker_);
  }

 private:
  void push(WaitNode& node) noexcept {
    node.previous_ = last_;
    node.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &node;
    last_ = &node;
    node.in_line_ = true;
    ++size_;
  }

  WaitNode* first_ = nullptr;
  WaitNode* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stackless
