// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"

namespace stackless {

/// A future, and the one that is made of its output. Only one of them is alive at a time.
template <Future First, class Next>
class Then {
 public:
  using Second = InvokeWithResult<Next, OutputOf<First>>;
  using Output = OutputOf<Second>;

  template <class Make>
  Then(Make& make, Next next) : states_{make}, next_{std::move(next)} {}
  Then(const Then&) = delete;
  Then& operator=(const Then&) = delete;

  Poll<Output> poll(Context& context) {
    if (states_.template holds<0>()) {
      Poll<OutputOf<First>> polled = states_.template get<0>().poll(context);
      if (polled.is_pending()) return pending;
      states_.template emplace<1>([&] { return invoke_with(next_, polled); });
    }
    if (states_.empty()) polled_after_completion();
    Poll<Output> output = states_.template get<1>().poll(context);
    if (output.is_ready()) states_.reset();
    return output;
  }

 private:
  OneOf<First, Second> states_;
  [[no_unique_address]] Next next_;
};

/// `then([&] { return listener.accept(error); }, [&](io::Descriptor d) { return serve(d); })`.
/// As large as the larger of both futures, a tag and the callable; freestanding.
template <FutureFactory Make, class Next>
[[nodiscard]] Then<FutureOf<Make>, Next> then(Make&& make, Next next) {
  return {make, std::move(next)};
}

}  // namespace stackless
