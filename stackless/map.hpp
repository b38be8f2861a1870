// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/future.hpp"
#include "stackless/output.hpp"

namespace stackless {

/// A future and what becomes of its output.
template <Future F, class Function>
class Map {
 public:
  using Output = InvokeWithResult<Function, OutputOf<F>>;

  template <class Make>
  Map(Make& make, Function function) : future_(make()), function_{std::move(function)} {}
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  Poll<Output> poll(Context& context) {
    Poll<OutputOf<F>> polled = future_.poll(context);
    if (polled.is_pending()) return pending;
    if constexpr (std::is_void_v<Output>) {
      invoke_with(function_, polled);
      return ready;
    } else {
      return invoke_with(function_, polled);
    }
  }

 private:
  F future_;
  [[no_unique_address]] Function function_;
};

/// `map([&] { return stream.read_some(buffer); }, [](io::Transfer got) { return got.bytes; })`.
/// As large as the future and the callable; freestanding.
template <FutureFactory Make, class Function>
[[nodiscard]] Map<FutureOf<Make>, Function> map(Make&& make, Function function) {
  return {make, std::move(function)};
}

}  // namespace stackless
