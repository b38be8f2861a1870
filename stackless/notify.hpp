// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

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
      waker = line_.take_first();
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
        waker = line_.take_first();
      }
      waker.wake();
    }
  }

 private:
  [[nodiscard]] std::size_t waiting() noexcept {
    const std::lock_guard guard{lock_};
    return line_.size();
  }

  Lock lock_;
  WaitList line_;
  bool remembered_ = false;
};

template <class Lock>
class BasicNotify<Lock>::Notified : WaitNode {
 public:
  using Output = void;

  explicit Notified(BasicNotify& notify) noexcept : notify_{&notify} {}
  ~Notified() {
    if (is_waiting()) leave();
  }
  Notified(const Notified&) = delete;
  Notified& operator=(const Notified&) = delete;

  Poll<void> poll(Context& context) {
    if (!may_look(context)) return pending;
    Waker replaced;
    const std::lock_guard guard{notify_->lock_};
    return notify_->line_.look(*this, context, replaced,
                               [&] { return !std::exchange(notify_->remembered_, false); });
  }

 private:
  friend class BasicNotify;

  void leave() noexcept {
    bool pass_on = false;
    {
      const std::lock_guard guard{notify_->lock_};
      notify_->line_.remove(*this);
      pass_on = singly_;
    }
    if (pass_on) notify_->notify_one();
  }

  bool singly_ = false;  // by notify_one: somebody has to act on it
  BasicNotify* notify_;
};

using Notify = BasicNotify<NoLock>;
using SharedNotify = BasicNotify<std::mutex>;

}  // namespace stackless
