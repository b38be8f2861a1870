// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"

namespace stackless {

/// A future whose poll is a callable: for what is too small for a type of its own.
template <class Function>
class PollFn {
 public:
  using Output = typename std::invoke_result_t<Function&, Context&>::Output;

  explicit PollFn(Function function) : function_{std::move(function)} {}
  PollFn(const PollFn&) = delete;
  PollFn& operator=(const PollFn&) = delete;
  Poll<Output> poll(Context& context) {
    if (done_) polled_after_completion();
    Poll<Output> polled = function_(context);
    done_ = polled.is_ready();
    return polled;
  }

 private:
  [[no_unique_address]] Function function_;
  bool done_ = false;
};

/// `poll_fn([&](Context& context) -> Poll<> { … })`. Freestanding.
template <class Function>
[[nodiscard]] PollFn<Function> poll_fn(Function function) {
  return PollFn<Function>{std::move(function)};
}

}  // namespace stackless
