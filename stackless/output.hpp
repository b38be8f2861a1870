// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "stackless/poll.hpp"

namespace stackless {

/// Stands for the output of a future that has none, where a value is needed.
struct Unit {
  friend constexpr bool operator==(Unit, Unit) noexcept { return true; }
};

/// `T` as a value: what a tuple or a variant of outputs is made of.
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, Unit, T>;

/// The output of a poll that is ready, as a value.
template <class T>
constexpr ValueOf<T> take_value(Poll<T>& polled) {
  if constexpr (std::is_void_v<T>) {
    return Unit{};
  } else {
    return polled.take();
  }
}

/// Calls `function` with the output of a poll that is ready, or with nothing.
template <class Function, class T>
constexpr decltype(auto) invoke_with(Function& function, Poll<T>& polled) {
  if constexpr (std::is_void_v<T>) {
    return function();
  } else {
    return function(polled.take());
  }
}

/// What `invoke_with` returns.
template <class Function, class T>
struct InvokeWith : std::invoke_result<Function&, T> {};
template <class Function>
struct InvokeWith<Function, void> : std::invoke_result<Function&> {};
template <class Function, class T>
using InvokeWithResult = typename InvokeWith<Function, T>::type;

}  // namespace stackless
