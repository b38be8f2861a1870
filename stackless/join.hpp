// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "stackless/children.hpp"
#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"

namespace stackless {

/// Several futures at once, inside one task: they wait together, so it takes as long as the
/// slowest. Each poll polls all that are not done; `join_all` wakes them singly.
template <Future... Fs>
class Join {
 public:
  using Output = std::tuple<ValueOf<OutputOf<Fs>>...>;

  template <class... Makes>
  explicit Join(Makes&... makes) : children_{makes...} {}
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;

  Poll<Output> poll(Context& context) {
    return poll_all(context, std::index_sequence_for<Fs...>{});
  }

 private:
  template <Future F>
  using Child = OneOf<F, ValueOf<OutputOf<F>>>;  // the output takes the future's place

  template <std::size_t... Is>
  Poll<Output> poll_all(Context& context, std::index_sequence<Is...>) {
    bool all_done = true;
    ((all_done = poll_child(children_.template get<Is>(), context) && all_done), ...);
    if (!all_done) return pending;
    Output outputs{std::move(children_.template get<Is>().template get<1>())...};
    children_.reset();
    return outputs;
  }
  template <Future F>
  static bool poll_child(OneOf<F, ValueOf<OutputOf<F>>>& child, Context& context) {
    if (child.template holds<1>()) return true;
    if (child.empty()) polled_after_completion();
    Poll<OutputOf<F>> polled = child.template get<0>().poll(context);
    if (polled.is_pending()) return false;
    child.template emplace<1>([&] { return take_value(polled); });
    return true;
  }

  Children<Child<Fs>...> children_;
};

/// `join([&] { return user(); }, [&] { return orders(); })`: a future of both outputs (`Unit` for
/// none). Freestanding.
template <FutureFactory... Makes>
[[nodiscard]] Join<FutureOf<Makes>...> join(Makes&&... makes) {
  return Join<FutureOf<Makes>...>{makes...};
}

}  // namespace stackless
