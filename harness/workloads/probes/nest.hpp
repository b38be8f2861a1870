// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "harness/workloads/composition.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/map.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/then.hpp"

namespace harness {

/// The innermost future: ready at once, which nobody can know beforehand.
inline auto value_of(const Source& source) {
  return stackless::poll_fn([&source](stackless::Context&) -> stackless::Poll<std::uint64_t> {
    if (!source.open) return stackless::pending;
    return source.value;
  });
}

/// So many futures, each inside the next; a level is by turns a `map` and a `then`.
template <unsigned depth>
auto nest(const Source& source) {
  if constexpr (depth == 0) {
    return value_of(source);
  } else if constexpr (depth % 2 == 1) {
    return stackless::map([&source] { return nest<depth - 1>(source); },
                          [](std::uint64_t value) { return mix(value); });
  } else {
    return stackless::then(
        [&source] { return nest<depth - 1>(source); },
        [](std::uint64_t value) {
          return stackless::poll_fn([value](stackless::Context&) -> stackless::Poll<std::uint64_t> {
            return mix(value);
          });
        });
  }
}

/// So many coroutines, each awaited by the next, and each of its own, so that a compiler which can
/// elide a frame may.
template <unsigned depth>
stackless::Async<std::uint64_t> nest_coroutine(const Source& source) {
  if constexpr (depth == 1) {
    co_return mix(co_await value_of(source));
  } else {
    co_return mix(co_await nest_coroutine<depth - 1>(source));
  }
}

}  // namespace harness
