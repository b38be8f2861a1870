// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/push/cancellation.hpp"
#include "stackless/push/loop.hpp"
#include "stackless/push/promise.hpp"

namespace stackless::push {

/// An operation under way, and the state of its promise: one allocation. While it waits it refers
/// to itself, so it ends when it is through, not when nobody looks.
template <class T>
class Pending : public State<T>, public Operation {
 public:
  /// Also outside run(): the loop runs the continuation later.
  void cancel() noexcept final {
    const Loop::Entered entered{*loop_};
    disarm();
    finish(Outcome<T>{typename Outcome<T>::Cancelled{}});
  }

 protected:
  Pending(Loop& loop, CancellationToken token) noexcept : loop_{&loop}, token_{std::move(token)} {}
  ~Pending() override = default;

  /// False: it is cancelled already, and has settled; arrange nothing.
  [[nodiscard]] bool begin() noexcept {
    if (loop_->is_closing() || token_.is_cancelled()) {
      this->settle(Outcome<T>{typename Outcome<T>::Cancelled{}});
      return false;
    }
    this->add_reference();
    loop_->begin(*this);
    token_.add(*this);
    return true;
  }
  /// Once after `begin`. Not to be touched afterwards.
  void finish(Outcome<T> outcome) noexcept {
    token_.remove(*this);
    loop_->end(*this);
    this->settle(std::move(outcome));
    this->release();
  }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }

 private:
  /// Takes back what was arranged after `begin`.
  virtual void disarm() noexcept = 0;

  Loop* loop_;
  CancellationToken token_;
};

}  // namespace stackless::push
