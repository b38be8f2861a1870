// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "stackless/context.hpp"
#include "stackless/fault.hpp"
#include "stackless/poll.hpp"
#include "stackless/wait_list.hpp"

namespace stackless {

/// Permits, and the line of those who wait for some, in the order of asking: what a semaphore keeps
/// under its lock, and a channel twice under one. Nothing here locks.
class Permits {
 public:
  class Request;

  explicit Permits(std::size_t available) noexcept : available_{available} {}

  /// False: they are not there, or somebody waits for them already.
  [[nodiscard]] bool take(std::size_t count) noexcept {
    if (line_.front() != nullptr || available_ < count) return false;
    available_ -= count;
    return true;
  }
  /// Whoever can go on because of it is served next.
  void add(std::size_t count) noexcept { available_ += count; }
  /// Whoever waits, or has to wait from now on, goes without. What is there can be taken.
  void close() noexcept { closed_ = true; }
  /// Takes the first out of the line if it can go on. `served` is to be woken once the lock has
  /// been released: the request may be gone by then. False: nobody can.
  [[nodiscard]] bool serve(Waker& served) noexcept;

 private:
  WaitList line_;
  std::size_t available_;
  bool closed_ = false;
};

/// Somebody's wish for so many permits. Lives in the future that waits.
class Permits::Request : WaitNode {
 public:
  explicit Request(std::size_t count) noexcept : count_{count} {}

  /// Before the lock is taken. False: pending, the task has done enough for this poll.
  [[nodiscard]] bool may_look(Context& context) const {
    if (step_ == Step::done) polled_after_completion();
    return step_ != Step::fresh || context.may_proceed();
  }
  /// Whether it has got them; pending: it is in line, and `context`'s task will be woken. See
  /// change_waker for `replaced`.
  Poll<bool> look(Permits& permits, Context& context, Waker& replaced) noexcept {
    if (step_ == Step::fresh) {
      granted_ = permits.take(count_);
      if (!granted_ && !permits.closed_) permits.line_.push(*this);
    }
    if (in_line) {
      step_ = Step::waiting;
      replaced = change_waker(context.waker());
      return pending;
    }
    step_ = Step::done;
    return granted_;
  }
  /// Whether it has to leave before it goes.
  [[nodiscard]] bool is_waiting() const noexcept { return step_ == Step::waiting; }
  /// Gives up its place, or the permits on their way to it; those behind may need less.
  void leave(Permits& permits) noexcept {
    if (in_line) permits.line_.remove(*this);
    if (granted_) permits.add(count_);
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  friend class Permits;
  enum class Step : unsigned char { fresh, waiting, done };

  std::size_t count_;
  Step step_ = Step::fresh;
  bool granted_ = false;
};

inline bool Permits::serve(Waker& served) noexcept {
  auto* const first = static_cast<Request*>(line_.front());
  if (first == nullptr) return false;
  first->granted_ = available_ >= first->count_;
  if (!first->granted_ && !closed_) return false;
  if (first->granted_) available_ -= first->count_;
  served = line_.take_first();
  return true;
}

}  // namespace stackless
