// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "stackless/future.hpp"
#include "stackless/permits.hpp"

namespace stackless {

/// So many permits, handed out in the order of asking: a large request is not overtaken by small
/// ones. With NoLock it belongs to one thread; with a mutex to all.
template <class Lock>
class BasicSemaphore {
 public:
  class Acquire;
  class Permit;

  explicit BasicSemaphore(std::size_t permits) noexcept : permits_{permits} {}
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
    return permits_.take(count) ? Permit{*this, count} : Permit{};
  }
  /// Adds permits.
  void release(std::size_t count = 1) noexcept {
    {
      const std::lock_guard guard{lock_};
      permits_.add(count);
    }
    serve();
  }
  /// Whoever waits, or has to wait from now on, gets an empty permit. What is there can be
  /// acquired.
  void close() noexcept {
    {
      const std::lock_guard guard{lock_};
      permits_.close();
    }
    serve();
  }

 private:
  /// Hands out what is there to those in front, each woken with the lock released.
  void serve() noexcept {
    while (true) {
      Waker served;
      {
        const std::lock_guard guard{lock_};
        if (!permits_.serve(served)) return;
      }
      served.wake();
    }
  }

  Lock lock_;
  Permits permits_;
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
class BasicSemaphore<Lock>::Acquire {
 public:
  using Output = Permit;

  Acquire(BasicSemaphore& semaphore, std::size_t count) noexcept
      : semaphore_{&semaphore}, request_{count} {}
  ~Acquire() {
    if (request_.is_waiting()) leave();
  }
  Acquire(const Acquire&) = delete;
  Acquire& operator=(const Acquire&) = delete;

  Poll<Permit> poll(Context& context) {
    if (!request_.may_look(context)) return pending;
    Waker replaced;
    const std::lock_guard guard{semaphore_->lock_};
    auto granted = request_.look(semaphore_->permits_, context, replaced);
    if (granted.is_pending()) return pending;
    return granted.take() ? Permit{*semaphore_, request_.count()} : Permit{};
  }

 private:
  void leave() noexcept {
    {
      const std::lock_guard guard{semaphore_->lock_};
      request_.leave(semaphore_->permits_);
    }
    semaphore_->serve();
  }

  BasicSemaphore* semaphore_;
  Permits::Request request_;
};

using Semaphore = BasicSemaphore<NoLock>;
using SharedSemaphore = BasicSemaphore<std::mutex>;

}  // namespace stackless
