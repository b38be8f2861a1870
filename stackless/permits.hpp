// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "stackless/context.hpp"
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
class Permits::Request : public WaitNode {
 public:
  explicit Request(std::size_t count) noexcept : count_{count} {}

  /// Whether it has got them; pending: it is in line. See WaitList::look.
  Poll<bool> look(Permits& permits, Context& context, Waker& replaced) noexcept {
    const auto has_to_wait = [&] {
      granted_ = permits.take(count_);
      return !granted_ && !permits.closed_;
    };
    if (permits.line_.look(*this, context, replaced, has_to_wait).is_pending()) return pending;
    return granted_;
  }
  /// Gives up its place, or the permits on their way to it; those behind may need less.
  void leave(Permits& permits) noexcept {
    permits.line_.remove(*this);
    if (granted_) permits.add(count_);
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  friend class Permits;

  bool granted_ = false;
  std::size_t count_;
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
