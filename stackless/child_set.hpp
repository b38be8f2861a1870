// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "stackless/waker.hpp"
#include "stackless/waker_cell.hpp"

namespace stackless {

class ChildSet;

/// What a child of a dynamic join is woken by: it says which child, then wakes the parent's task.
/// Lives in the set's memory, which stays as long as any of its wakers.
class ChildWaker : public Wakeable {
 public:
  explicit ChildWaker(ChildSet& set) noexcept : Wakeable{&table}, set_{&set} {}
  ChildWaker(const ChildWaker&) = delete;
  ChildWaker& operator=(const ChildWaker&) = delete;

 private:
  friend class ChildSet;
  static void clone(Wakeable& target) noexcept;
  static void wake(Wakeable& target) noexcept;
  static void wake_by_ref(Wakeable& target) noexcept;
  static void drop(Wakeable& target) noexcept;
  static constexpr WakerOperations table{&clone, &wake, &wake_by_ref, &drop};

  ChildSet* set_;
  ChildWaker* next_ = nullptr;
  std::atomic<bool> woken_{false};
};

/// The children that have been woken, and the task they belong to. Counts its references: the
/// parent has one, each waker of a child another. Freestanding.
class ChildSet {
 public:
  using Free = void (*)(ChildSet&) noexcept;

  explicit ChildSet(Free free) noexcept : free_{free} {}
  ChildSet(const ChildSet&) = delete;
  ChildSet& operator=(const ChildSet&) = delete;

  /// Any thread.
  void wake(ChildWaker& child) noexcept {
    if (child.woken_.exchange(true, std::memory_order_acq_rel)) return;
    child.next_ = woken_.load(std::memory_order_relaxed);
    while (!woken_.compare_exchange_weak(child.next_, &child, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
    }
    parent_.wake();
  }
  /// Parent only: from now on it is woken with the children. To be followed by take_woken.
  void await(const Waker& parent) noexcept { parent_.refresh(parent); }
  /// Parent only: calls `poll(child)` for each child woken since the last time, in the order of
  /// waking. One that is woken meanwhile waits for the next time.
  template <class Poll>
  void take_woken(Poll poll) {
    ChildWaker* first = oldest_first(woken_.exchange(nullptr, std::memory_order_acq_rel));
    while (first != nullptr) {
      ChildWaker& child = *first;
      first = child.next_;
      child.woken_.exchange(false, std::memory_order_acq_rel);  // sees what its waker wrote
      poll(child);
    }
  }
  /// Parent only, at its end: nobody wakes it any more.
  void leave() noexcept {
    parent_.reset();
    drop();
  }

  void clone() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) free_(*this);
  }

 private:
  static ChildWaker* oldest_first(ChildWaker* newest) noexcept {
    ChildWaker* oldest = nullptr;
    while (newest != nullptr) {
      ChildWaker* const next = std::exchange(newest->next_, oldest);
      oldest = std::exchange(newest, next);
    }
    return oldest;
  }

  std::atomic<ChildWaker*> woken_{nullptr};
  WakerCell parent_;
  std::atomic<std::uint32_t> references_{1};
  Free free_;
};

inline void ChildWaker::clone(Wakeable& target) noexcept {
  static_cast<ChildWaker&>(target).set_->clone();
}
inline void ChildWaker::wake_by_ref(Wakeable& target) noexcept {
  auto& child = static_cast<ChildWaker&>(target);
  child.set_->wake(child);
}
inline void ChildWaker::drop(Wakeable& target) noexcept {
  static_cast<ChildWaker&>(target).set_->drop();
}
inline void ChildWaker::wake(Wakeable& target) noexcept {
  wake_by_ref(target);
  drop(target);
}

}  // namespace stackless
