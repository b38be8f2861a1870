// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/waker.hpp"

namespace stackless {

/// For what belongs to one thread: no lock at all.
struct NoLock {
  void lock() noexcept {}
  void unlock() noexcept {}
};

/// A task that waits in line. Lives in the future that waits.
struct WaitNode {
  /// Wakes `to`'s task from now on. What it has woken before is to be dropped once the lock has
  /// been released: it may be the last reference to a task.
  [[nodiscard]] Waker change_waker(const Waker& to) noexcept {
    return waker.will_wake(to) ? Waker{} : std::exchange(waker, to.clone());
  }

  WaitNode* previous = nullptr;
  WaitNode* next = nullptr;
  Waker waker;
  bool in_line = false;
};

/// A line of waiting tasks, first come, first served. Intrusive; freestanding.
class WaitList {
 public:
  [[nodiscard]] WaitNode* front() const noexcept { return first_; }

  void push(WaitNode& node) noexcept {
    node.previous = last_;
    node.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
    node.in_line = true;
  }
  void remove(WaitNode& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
    node.in_line = false;
  }
  /// Takes the first out of the line. Its waker is to be woken once the lock has been released: the
  /// node may be gone by then.
  [[nodiscard]] Waker take_first() noexcept {
    WaitNode& first = *first_;
    remove(first);
    return std::move(first.waker);
  }

 private:
  WaitNode* first_ = nullptr;
  WaitNode* last_ = nullptr;
};

}  // namespace stackless
