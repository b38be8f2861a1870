// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/wait_list.hpp"

namespace stackless {

/// Tells tasks that something may have changed. With NoLock it belongs to one thread; with a mutex
/// to all.
template <class Lock>
class BasicNotify {
 public:
  class Notified;

  BasicNotify() = default;
  /// Nobody may be waiting.
  ~BasicNotify() = default;
  BasicNotify(const BasicNotify&) = delete;
  BasicNotify& operator=(const BasicNotify&) = delete;

  /// A future of the next notification. Dropped while pending, it leaves the line; a notification
  /// of one that was on its way to it goes to the next.
  [[nodiscard]] Notified notified() noexcept { return Notified{*this}; }
  /// Wakes the one who waits longest. With nobody waiting it is remembered, once, for the next.
  void notify_one() noexcept {
    Waker waker;
    {
      const std::lock_guard guard{lock_};
      auto* const first = static_cast<Notified*>(line_.front());
      remembered_ = first == nullptr;
      if (first == nullptr) return;
      first->singly_ = true;
      waker = take_first();
    }
    waker.wake();
  }
  /// Wakes all who wait now. Not remembered.
  void notify_all() noexcept {
    for (std::size_t left = waiting(); left != 0; --left) {
      Waker waker;
      {
        const std::lock_guard guard{lock_};
        if (line_.front() == nullptr) return;
        waker = take_first();
      }
      waker.wake();
    }
  }

 private:
  [[nodiscard]] std::size_t waiting() noexcept {
    const std::lock_guard guard{lock_};
    return waiting_;
  }
  [[nodiscard]] Waker take_first() noexcept {
    --waiting_;
    return line_.take_first();
  }

  Lock lock_;
  WaitList line_;
  std::size_t waiting_ = 0;
  bool remembered_ = false;
};

template <class Lock>
class BasicNotify<Lock>::Notified : WaitNode {
 public:
  using Output = void;

  explicit Notified(BasicNotify& notify) noexcept : notify_{&notify} {}
  ~Notified() {
    if (step_ == Step::waiting) leave();
  }
  Notified(const Notified&) = delete;
  Notified& operator=(const Notified&) = delete;

  Poll<void> poll(Context& context) {
    if (step_ == Step::done) polled_after_completion();
    if (step_ == Step::fresh && !context.may_proceed()) return pending;
    Waker replaced;
    const std::lock_guard guard{notify_->lock_};
    if (step_ == Step::fresh && !std::exchange(notify_->remembered_, false)) {
      notify_->line_.push(*this);
      ++notify_->waiting_;
    }
    if (in_line) {
      step_ = Step::waiting;
      replaced = change_waker(context.waker());
      return pending;
    }
    step_ = Step::done;
    return ready;
  }

 private:
  friend class BasicNotify;
  enum class Step : unsigned char { fresh, waiting, done };

  void leave() noexcept {
    bool pass_on = false;
    {
      const std::lock_guard guard{notify_->lock_};
      if (in_line) {
        notify_->line_.remove(*this);
        --notify_->waiting_;
      }
      pass_on = singly_;
    }
    if (pass_on) notify_->notify_one();
  }

  BasicNotify* notify_;
  Step step_ = Step::fresh;
  bool singly_ = false;  // by notify_one: somebody has to act on it
};

using Notify = BasicNotify<NoLock>;
using SharedNotify = BasicNotify<std::mutex>;

}  // namespace stackless
