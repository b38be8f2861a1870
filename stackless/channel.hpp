// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "stackless/future.hpp"
#include "stackless/permits.hpp"

namespace stackless {

/// A queue of at most so many values, between any number of tasks. Who sends into a full one waits:
/// that is the back-pressure. Senders and receivers are served in the order of asking. With NoLock
/// it belongs to one thread; with a mutex to all.
template <class T, class Lock>
class BasicChannel {
  static_assert(std::is_nothrow_move_constructible_v<T>,
                "a value that throws on its way would be lost with its place");

 public:
  template <class Kept>
  class Sending;
  class Receive;

  /// One allocation, and none later.
  explicit BasicChannel(std::size_t capacity) : ring_(capacity), room_{capacity} {}
  /// Nobody may be waiting.
  ~BasicChannel() = default;
  BasicChannel(const BasicChannel&) = delete;
  BasicChannel& operator=(const BasicChannel&) = delete;

  /// A future of whether the value went in; false when the channel is closed. Dropped while
  /// pending, nothing has been sent; the value, which it has taken, goes with it.
  [[nodiscard]] Sending<T> send(T value) { return {*this, std::move(value)}; }
  /// The same, but the value is moved from where it is when it goes in, and not before: it is still
  /// the caller's when the future is dropped, or says false. It has to outlive the future.
  [[nodiscard]] Sending<T&> send_from(T& value) noexcept { return {*this, value}; }
  /// A future of the next value; empty when the channel is closed and drained: what a send said
  /// went in has come out. Dropped while pending, it has taken nothing.
  [[nodiscard]] Receive receive() noexcept { return Receive{*this}; }
  /// Nothing more goes in: senders that wait get false, receivers what is left.
  void close() noexcept {
    {
      const std::lock_guard guard{lock_};
      closed_ = true;
      room_.close();
      if (is_drained()) values_.close();
    }
    serve_all(room_);
    serve_all(values_);
  }

 private:
  /// Lock held; `served` is to be woken after it. So is it with `pop`.
  void push(T&& value, Waker& served) {
    ring_[(first_ + held_++) % ring_.size()].emplace(std::move(value));
    values_.add(1);
    static_cast<void>(values_.serve(served));
  }
  std::optional<T> pop(Waker& served) {
    std::optional<T> value = std::move(ring_[first_]);
    ring_[first_].reset();
    first_ = (first_ + 1) % ring_.size();
    --held_;
    if (is_drained()) values_.close();
    room_.add(1);
    static_cast<void>(room_.serve(served));
    return value;
  }
  [[nodiscard]] bool is_drained() const noexcept { return closed_ && held_ == 0; }
  void serve_all(Permits& side) noexcept {
    while (serve(side)) {
    }
  }
  /// Wakes the first in line if it can go on, with the lock released.
  bool serve(Permits& side) noexcept {
    Waker served;
    {
      const std::lock_guard guard{lock_};
      if (!side.serve(served)) return false;
    }
    served.wake();
    return true;
  }
  void leave(Permits::Request& request, Permits& side) noexcept {
    {
      const std::lock_guard guard{lock_};
      request.leave(side);
    }
    serve(side);
  }

  // All under one lock: a value is there as soon as its permit is, and "closed" is said to nobody
  // while one is left.
  Lock lock_;
  std::vector<std::optional<T>> ring_;
  std::size_t first_ = 0;
  std::size_t held_ = 0;
  Permits room_;
  Permits values_{0};
  bool closed_ = false;
};

/// Keeps a value of its own, or a reference to the caller's.
template <class T, class Lock>
template <class Kept>
class BasicChannel<T, Lock>::Sending {
 public:
  using Output = bool;

  Sending(BasicChannel& channel, Kept&& value)
      : channel_{&channel}, value_{std::forward<Kept>(value)} {}
  ~Sending() {
    if (room_.is_waiting()) channel_->leave(room_, channel_->room_);
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

  Poll<bool> poll(Context& context) {
    if (!room_.may_look(context)) return pending;
    Waker replaced;
    Waker receiver;
    std::unique_lock guard{channel_->lock_};
    auto room = room_.look(channel_->room_, context, replaced);
    if (room.is_pending()) return pending;
    if (!room.take() || channel_->closed_) return false;
    channel_->push(std::move(value_), receiver);
    guard.unlock();
    receiver.wake();
    return true;
  }

 private:
  BasicChannel* channel_;
  Permits::Request room_{1};
  Kept value_;
};

template <class T, class Lock>
class BasicChannel<T, Lock>::Receive {
 public:
  using Output = std::optional<T>;

  explicit Receive(BasicChannel& channel) noexcept : channel_{&channel} {}
  ~Receive() {
    if (value_.is_waiting()) channel_->leave(value_, channel_->values_);
  }
  Receive(const Receive&) = delete;
  Receive& operator=(const Receive&) = delete;

  Poll<std::optional<T>> poll(Context& context) {
    if (!value_.may_look(context)) return pending;
    Waker replaced;
    Waker sender;
    std::unique_lock guard{channel_->lock_};
    auto value = value_.look(channel_->values_, context, replaced);
    if (value.is_pending()) return pending;
    if (!value.take()) return std::optional<T>{};
    std::optional<T> received = channel_->pop(sender);
    const bool was_the_last = channel_->is_drained();
    guard.unlock();
    sender.wake();
    if (was_the_last) channel_->serve_all(channel_->values_);  // those who wait in vain
    return received;
  }

 private:
  BasicChannel* channel_;
  Permits::Request value_{1};
};

template <class T>
using Channel = BasicChannel<T, NoLock>;
template <class T>
using SharedChannel = BasicChannel<T, std::mutex>;

}  // namespace stackless
