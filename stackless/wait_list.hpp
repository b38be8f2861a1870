// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include "stackless/context.hpp"
#include "stackless/fault.hpp"
#include "stackless/list_link.hpp"
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
class WaitNode : ListLink {
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

  Waker waker_;
  Step step_ = Step::fresh;
};

/// A line of waiting tasks, first come, first served. Intrusive; freestanding.
class WaitList {
 public:
  /// nullptr: nobody waits.
  [[nodiscard]] WaitNode* front() const noexcept {
    return line_.is_linked() ? static_cast<WaitNode*>(line_.next) : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Puts `node` in line if it is fresh and `has_to_wait()`. Ready: it is not there, or no more.
  /// Pending: `context`'s task will be woken from now on. Whom it would have woken before is
  /// `replaced`, to be dropped once the lock has been released: it may be the last reference to a
  /// task.
  template <class HasToWait>
  Poll<> look(WaitNode& node, Context& context, Waker& replaced, HasToWait has_to_wait) noexcept {
    if (node.step_ == WaitNode::Step::fresh && has_to_wait()) {
      node.link_before(line_);
      ++size_;
    }
    node.step_ = node.is_linked() ? WaitNode::Step::waiting : WaitNode::Step::done;
    if (!node.is_linked()) return ready;
    if (!node.waker_.will_wake(context.waker())) {
      replaced = std::exchange(node.waker_, context.waker().clone());
    }
    return pending;
  }
  /// Without effect on one that is not in line, or no more.
  void remove(WaitNode& node) noexcept {
    if (!node.is_linked()) return;
    node.unlink();
    --size_;
  }
  /// Takes the first out of the line. Its waker is to be woken once the lock has been released: the
  /// node may be gone by then.
  [[nodiscard]] Waker take_first() noexcept {
    WaitNode& first = *front();
    remove(first);
    return std::move(first.waker_);
  }

 private:
  ListLink line_;
  std::size_t size_ = 0;
};

}  // namespace stackless
