// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace stackless {

struct Wakeable;

/// What can be done to whoever a waker points at. Any thread may call any of them.
struct WakerOperations {
  void (*clone)(Wakeable&) noexcept;        ///< adds a reference
  void (*wake)(Wakeable&) noexcept;         ///< wakes and gives a reference back
  void (*wake_by_ref)(Wakeable&) noexcept;  ///< wakes
  void (*drop)(Wakeable&) noexcept;         ///< gives a reference back
};

/// Whoever can be woken: a task, or a child inside a combinator that wakes its children singly.
struct Wakeable {
  const WakerOperations* operations = nullptr;
};

/// The right to have a task polled again. Waking only queues: it never polls, so a waker may be
/// used in the middle of anything, any number of times, by any thread. Wakes before the poll they
/// cause melt into one. One word; freestanding.
///
/// Owns one reference to the task's memory, not to its future: a task that has ended is woken in
/// vain. May outlive the executor.
class Waker {
 public:
  Waker() = default;
  /// Takes over a reference that somebody has added.
  explicit Waker(Wakeable& adopted) noexcept : target_{&adopted} {}
  Waker(Waker&& other) noexcept : target_{std::exchange(other.target_, nullptr)} {}
  Waker& operator=(Waker&& other) noexcept {
    std::swap(target_, other.target_);
    other.reset();
    return *this;
  }
  ~Waker() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return target_ != nullptr; }

  /// Another waker of the same task.
  [[nodiscard]] Waker clone() const noexcept {
    if (target_ == nullptr) return Waker{};
    target_->operations->clone(*target_);
    return Waker{*target_};
  }
  /// Wakes, and is empty afterwards; cheaper than wake_by_ref and a drop.
  void wake() noexcept {
    Wakeable* const target = std::exchange(target_, nullptr);
    if (target != nullptr) target->operations->wake(*target);
  }
  void wake_by_ref() const noexcept {
    if (target_ != nullptr) target_->operations->wake_by_ref(*target_);
  }
  /// Whether both wake the same task: then there is nothing to clone.
  [[nodiscard]] bool will_wake(const Waker& other) const noexcept {
    return target_ == other.target_;
  }
  /// Makes this a waker of `other`'s task; touches no reference when it is one already. A future
  /// calls it at each pending poll, for it may have been handed to another task since the last.
  void clone_from(const Waker& other) noexcept {
    if (!will_wake(other)) *this = other.clone();
  }
  void reset() noexcept {
    Wakeable* const target = std::exchange(target_, nullptr);
    if (target != nullptr) target->operations->drop(*target);
  }

 private:
  friend class BorrowedWaker;
  Wakeable* target_ = nullptr;
};

/// A waker without a reference of its own, for whoever polls: the task outlives the poll.
class BorrowedWaker {
 public:
  explicit BorrowedWaker(Wakeable& target) noexcept : waker_{target} {}
  ~BorrowedWaker() { waker_.target_ = nullptr; }
  BorrowedWaker(const BorrowedWaker&) = delete;
  BorrowedWaker& operator=(const BorrowedWaker&) = delete;

  [[nodiscard]] const Waker& waker() const noexcept { return waker_; }

 private:
  Waker waker_;
};

}  // namespace stackless
