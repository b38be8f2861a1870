// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>

#include "stackless/context.hpp"
#include "stackless/poll.hpp"

namespace stackless {

/// Base of what must stay where it was made; an aggregate stays one: `Hop{{}, event}`. Not for what
/// begins with a member of such a base: two bases of one type at one address cost a word.
struct Immovable {
  Immovable() = default;
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
};

/// A computation that somebody else drives.
///  * Lazy: making one runs nothing; only `poll` advances it.
///  * `poll` returns at once. Pending: it has arranged for the context's waker to be woken when it
///    is worth polling again. Spurious polls are legal.
///  * Immovable by type (a deleted copy constructor and assignment do it), so what is inside may
///    point inside. Factories return it as a prvalue, which is built in its final place.
///  * Destroying it at any point cancels it and all within it, at once; nothing calls it
///  afterwards.
///  * Polled after its output has been handed over, it calls `polled_after_completion()`.
template <class F>
concept Future = std::is_object_v<F> && !std::is_move_constructible_v<F> &&
                 !std::is_assignable_v<F&, F> && requires(F & future, Context& context) {
  typename F::Output;
  { future.poll(context) } -> std::same_as<Poll<typename F::Output>>;
};

template <Future F>
using OutputOf = typename F::Output;

/// A callable that makes a future where it is wanted: what `spawn` and the combinators take.
template <class M>
concept FutureFactory = std::invocable<M&> && Future<std::invoke_result_t<M&>>;

template <FutureFactory M>
using FutureOf = std::invoke_result_t<M&>;

}  // namespace stackless
