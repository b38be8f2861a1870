// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <utility>

#include "stackless/future.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"
#include "stackless/sleep.hpp"

namespace stackless {

/// A future that has until a moment to be done; then it is dropped.
template <Future F>
class Timeout {
 public:
  using Output = std::optional<ValueOf<OutputOf<F>>>;

  template <class Make>
  Timeout(io::TimePoint deadline, Make& make) : sleep_{deadline}, future_{make} {}
  Timeout(const Timeout&) = delete;
  Timeout& operator=(const Timeout&) = delete;

  Poll<Output> poll(Context& context) {
    if (future_.empty()) polled_after_completion();
    Poll<OutputOf<F>> polled = future_.template get<0>().poll(context);
    if (polled.is_ready()) {
      Output output{take_value(polled)};
      future_.reset();
      return output;
    }
    if (sleep_.poll(context).is_pending()) return pending;
    future_.reset();
    return Output{};
  }

 private:
  Sleep sleep_;
  OneOf<F> future_;
};

/// `timeout(deadline, [&] { return stream.read_some(buffer); })`: empty when the deadline came
/// first
/// (`Unit` for no output). An output that is ready at the same poll wins.
template <FutureFactory Make>
[[nodiscard]] Timeout<FutureOf<Make>> timeout(io::TimePoint deadline, Make&& make) {
  return {deadline, make};
}

}  // namespace stackless
