// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "stackless/children.hpp"
#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"

namespace stackless {

/// The first of several futures to be done. They are polled in order, so the first in order wins a
/// tie; the others are dropped before the output is handed over.
template <Future... Fs>
class Select {
 public:
  using Output = std::variant<ValueOf<OutputOf<Fs>>...>;

  template <class... Makes>
  explicit Select(Makes&... makes) : children_{makes...} {}
  Select(const Select&) = delete;
  Select& operator=(const Select&) = delete;

  Poll<Output> poll(Context& context) {
    if (children_.template get<0>().empty()) polled_after_completion();
    return poll_from<0>(context);
  }

 private:
  template <std::size_t I>
  Poll<Output> poll_from(Context& context) {
    if constexpr (I == sizeof...(Fs)) {
      return pending;
    } else {
      auto polled = children_.template get<I>().template get<0>().poll(context);
      if (polled.is_pending()) return poll_from<I + 1>(context);
      Output output{std::in_place_index<I>, take_value(polled)};
      children_.reset();
      return output;
    }
  }

  Children<OneOf<Fs>...> children_;
};

/// `select([&] { return event.wait(); }, [&] { return stream.read_some(buffer); })`: a future of a
/// variant whose index says who was first (`Unit` for no output). Freestanding.
template <FutureFactory... Makes>
[[nodiscard]] Select<FutureOf<Makes>...> select(Makes&&... makes) {
  return Select<FutureOf<Makes>...>{makes...};
}

}  // namespace stackless
