// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/outcome.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// What a handle asks of whatever it joins: a task, or a job of a blocking pool.
template <class T>
struct JoinOperations {
  Poll<Outcome<T>> (*poll)(Wakeable&, Context&);  ///< the outcome, once; or keeps the waker
  void (*abort)(Wakeable&) noexcept;
  void (*detach)(Wakeable&) noexcept;  ///< nobody will ask for the outcome
};

/// The other end of something spawned. Movable; dropped, it detaches: the task goes on, and its
/// output is dropped when it comes.
template <class T>
class [[nodiscard]] JoinHandle {
 public:
  class Joining;

  /// Empty: nothing was spawned.
  JoinHandle() = default;
  /// Takes over a reference to what is joined.
  JoinHandle(Wakeable& joined, const JoinOperations<T>& operations) noexcept
      : joined_{&joined}, operations_{&operations} {}
  JoinHandle(JoinHandle&& other) noexcept
      : joined_{std::exchange(other.joined_, nullptr)}, operations_{other.operations_} {}
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    detach();
    joined_ = std::exchange(other.joined_, nullptr);
    operations_ = other.operations_;
    return *this;
  }
  ~JoinHandle() { detach(); }

  [[nodiscard]] explicit operator bool() const noexcept { return joined_ != nullptr; }

  /// A future of the outcome. The handle has to outlive it; dropped while pending, it can be asked
  /// for again.
  [[nodiscard]] Joining join() noexcept { return Joining{*this}; }
  /// Cancels what has not ended: a task's future is dropped before its next poll. Does not wait.
  void abort() noexcept {
    if (joined_ != nullptr) operations_->abort(*joined_);
  }
  void detach() noexcept {
    if (joined_ == nullptr) return;
    operations_->detach(*joined_);
    Wakeable& joined = *std::exchange(joined_, nullptr);
    joined.operations->drop(joined);
  }

 private:
  Wakeable* joined_ = nullptr;
  const JoinOperations<T>* operations_ = nullptr;
};

template <class T>
class JoinHandle<T>::Joining {
 public:
  using Output = Outcome<T>;

  explicit Joining(JoinHandle& handle) noexcept : handle_{&handle} {}
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;

  Poll<Outcome<T>> poll(Context& context) {
    if (handle_ == nullptr || !*handle_) polled_after_completion();
    Poll<Outcome<T>> outcome = handle_->operations_->poll(*handle_->joined_, context);
    if (outcome.is_ready()) std::exchange(handle_, nullptr)->detach();
    return outcome;
  }

 private:
  JoinHandle* handle_;
};

}  // namespace stackless
