// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "stackless/semaphore.hpp"

namespace stackless {

/// A queue of at most so many values, between any number of tasks. Who sends into a full one waits:
/// that is the back-pressure. Senders and receivers are served in the order of asking. With NoLock
/// it belongs to one thread; with a mutex to all.
template <class T, class Lock>
class BasicChannel {
 public:
  class Send;
  class Receive;

  /// One allocation, and none later.
  explicit BasicChannel(std::size_t capacity) : ring_(capacity), room_{capacity} {}
  /// Nobody may be waiting.
  ~BasicChannel() = default;
  BasicChannel(const BasicChannel&) = delete;
  BasicChannel& operator=(const BasicChannel&) = delete;

  /// A future of whether the value went in; false when the channel is closed. Dropped while
  /// pending, nothing has been sent.
  [[nodiscard]] Send send(T value) { return Send{*this, std::move(value)}; }
  /// A future of the next value; empty when the channel is closed and drained. Dropped while
  /// pending, it has taken nothing.
  [[nodiscard]] Receive receive() noexcept { return Receive{*this}; }
  /// Nothing more goes in: senders that wait get false, receivers what is left.
  void close() noexcept {
    {
      const std::lock_guard guard{lock_};
      closed_ = true;
    }
    room_.close();
    values_.close();
  }

 private:
  using Permits = BasicSemaphore<Lock>;

  bool push(T value) {
    {
      const std::lock_guard guard{lock_};
      if (closed_) return false;
      ring_[(first_ + held_++) % ring_.size()].emplace(std::move(value));
    }
    values_.release();
    return true;
  }
  std::optional<T> pop() {
    const std::lock_guard guard{lock_};
    --held_;
    std::optional<T> value = std::move(ring_[first_]);
    ring_[first_].reset();
    first_ = (first_ + 1) % ring_.size();
    return value;
  }

  std::vector<std::optional<T>> ring_;
  std::size_t first_ = 0;
  std::size_t held_ = 0;
  Permits room_;
  Permits values_{0};
  Lock lock_;
  bool closed_ = false;
};

template <class T, class Lock>
class BasicChannel<T, Lock>::Send {
 public:
  using Output = bool;

  Send(BasicChannel& channel, T value)
      : channel_{&channel}, room_{channel.room_.acquire()}, value_{std::move(value)} {}
  Send(const Send&) = delete;
  Send& operator=(const Send&) = delete;

  Poll<bool> poll(Context& context) {
    auto room = room_.poll(context);
    if (room.is_pending()) return pending;
    auto permit = room.take();
    if (!permit || !channel_->push(std::move(value_))) return false;
    permit.forget();  // the receiver gives it back
    return true;
  }

 private:
  BasicChannel* channel_;
  typename Permits::Acquire room_;
  T value_;
};

template <class T, class Lock>
class BasicChannel<T, Lock>::Receive {
 public:
  using Output = std::optional<T>;

  explicit Receive(BasicChannel& channel) noexcept
      : channel_{&channel}, value_{channel.values_.acquire()} {}
  Receive(const Receive&) = delete;
  Receive& operator=(const Receive&) = delete;

  Poll<std::optional<T>> poll(Context& context) {
    auto value = value_.poll(context);
    if (value.is_pending()) return pending;
    auto permit = value.take();
    if (!permit) return std::optional<T>{};
    permit.forget();
    std::optional<T> received = channel_->pop();
    channel_->room_.release();
    return received;
  }

 private:
  BasicChannel* channel_;
  typename Permits::Acquire value_;
};

template <class T>
using Channel = BasicChannel<T, NoLock>;
template <class T>
using SharedChannel = BasicChannel<T, std::mutex>;

}  // namespace stackless
