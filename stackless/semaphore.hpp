// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/wait_list.hpp"

namespace stackless {

/// So many permits, handed out in the order of asking: a large request is not overtaken by small
/// ones. With NoLock it belongs to one thread; with a mutex to all.
template <class Lock>
class BasicSemaphore {
 public:
  class Acquire;
  class Permit;

  explicit BasicSemaphore(std::size_t permits) noexcept : available_{permits} {}
  /// Nobody may be waiting, and no permit be out.
  ~BasicSemaphore() = default;
  BasicSemaphore(const BasicSemaphore&) = delete;
  BasicSemaphore& operator=(const BasicSemaphore&) = delete;

  /// A future of `count` permits at once; an empty one when the semaphore is closed. Dropped while
  /// pending, it gives up its place in the line; permits on their way to it go to the next.
  [[nodiscard]] Acquire acquire(std::size_t count = 1) noexcept { return Acquire{*this, count}; }
  /// Empty when they are not there, or somebody waits for them already.
  [[nodiscard]] Permit try_acquire(std::size_t count = 1) noexcept {
    const std::lock_guard guard{lock_};
    return take(count) ? Permit{*this, count} : Permit{};
  }
  /// Adds permits.
  void release(std::size_t count = 1) noexcept {
    {
      const std::lock_guard guard{lock_};
      available_ += count;
    }
    serve();
  }
  /// Whoever waits, or has to wait from now on, gets an empty permit. What is there can be
  /// acquired.
  void close() noexcept {
    {
      const std::lock_guard guard{lock_};
      closed_ = true;
    }
    serve();
  }

 private:
  bool take(std::size_t count) noexcept {
    if (line_.front() != nullptr || available_ < count) return false;
    available_ -= count;
    return true;
  }
  /// Hands out what is there to those in front, each woken with the lock released.
  void serve() noexcept {
    while (true) {
      Waker served;
      {
        const std::lock_guard guard{lock_};
        auto* const first = static_cast<Acquire*>(line_.front());
        if (first == nullptr) return;
        first->granted_ = available_ >= first->count_;
        if (!first->granted_ && !closed_) return;
        if (first->granted_) available_ -= first->count_;
        served = line_.take_first();
      }
      served.wake();
    }
  }

  Lock lock_;
  WaitList line_;
  std::size_t available_;
  bool closed_ = false;
};

/// Permits that are given back when it goes.
template <class Lock>
class [[nodiscard]] BasicSemaphore<Lock>::Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept
      : semaphore_{std::exchange(other.semaphore_, nullptr)}, count_{other.count_} {}
  Permit& operator=(Permit&& other) noexcept {
    std::swap(semaphore_, other.semaphore_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Permit() {
    if (semaphore_ != nullptr) semaphore_->release(count_);
  }

  [[nodiscard]] explicit operator bool() const noexcept { return semaphore_ != nullptr; }
  /// Keeps them out for good.
  void forget() noexcept { semaphore_ = nullptr; }

 private:
  friend class BasicSemaphore;
  Permit(BasicSemaphore& semaphore, std::size_t count) noexcept
      : semaphore_{&semaphore}, count_{count} {}

  BasicSemaphore* semaphore_ = nullptr;
  std::size_t count_ = 0;
};

template <class Lock>
class BasicSemaphore<Lock>::Acquire : WaitNode {
 public:
  using Output = Permit;

  Acquire(BasicSemaphore& semaphore, std::size_t count) noexcept
      : semaphore_{&semaphore}, count_{count} {}
  ~Acquire() {
    if (step_ == Step::waiting) leave();
  }
  Acquire(const Acquire&) = delete;
  Acquire& operator=(const Acquire&) = delete;

  Poll<Permit> poll(Context& context) {
    if (step_ == Step::done) polled_after_completion();
    if (step_ == Step::fresh && !context.may_proceed()) return pending;
    const std::lock_guard guard{semaphore_->lock_};
    if (step_ == Step::fresh) {
      granted_ = semaphore_->take(count_);
      if (!granted_ && !semaphore_->closed_) semaphore_->line_.push(*this);
    }
    if (in_line) {
      step_ = Step::waiting;
      waker.clone_from(context.waker());
      return pending;
    }
    step_ = Step::done;
    return granted_ ? Permit{*semaphore_, count_} : Permit{};
  }

 private:
  friend class BasicSemaphore;
  enum class Step : unsigned char { fresh, waiting, done };

  void leave() noexcept {
    {
      const std::lock_guard guard{semaphore_->lock_};
      if (in_line) semaphore_->line_.remove(*this);
      if (granted_) semaphore_->available_ += count_;
    }
    semaphore_->serve();  // those behind may need less
  }

  BasicSemaphore* semaphore_;
  std::size_t count_;
  Step step_ = Step::fresh;
  bool granted_ = false;
};

using Semaphore = BasicSemaphore<NoLock>;
using SharedSemaphore = BasicSemaphore<std::mutex>;

}  // namespace stackless
