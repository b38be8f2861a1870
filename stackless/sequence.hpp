// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/one_of.hpp"

namespace stackless {

/// One future after the other; the output is the last one's. Each is made when its turn comes.
template <FutureFactory... Makes>
class Sequence {
  static constexpr std::size_t last = sizeof...(Makes) - 1;
  using States = OneOf<FutureOf<Makes>...>;

 public:
  using Output = OutputOf<typename States::template At<last>>;

  explicit Sequence(Makes... makes) : makes_{std::move(makes)...} { begin<0>(); }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  Poll<Output> poll(Context& context) {
    if (states_.empty()) polled_after_completion();
    return poll_from<0>(context);
  }

 private:
  template <std::size_t I>
  void begin() {
    states_.template emplace<I>(std::get<I>(makes_));
  }
  template <std::size_t I>
  Poll<Output> poll_from(Context& context) {
    if constexpr (I == last) {
      Poll<Output> output = states_.template get<I>().poll(context);
      if (output.is_ready()) states_.reset();
      return output;
    } else {
      if (states_.template holds<I>()) {
        if (states_.template get<I>().poll(context).is_pending()) return pending;
        begin<I + 1>();
      }
      return poll_from<I + 1>(context);
    }
  }

  States states_;
  [[no_unique_address]] std::tuple<Makes...> makes_;
};

/// `sequence([&] { return write(...); }, [&] { return sleep_until(later); })`. As large as the
/// largest of the futures, a tag and the callables; freestanding.
template <FutureFactory... Makes>
[[nodiscard]] Sequence<Makes...> sequence(Makes... makes) {
  return Sequence<Makes...>{std::move(makes)...};
}

}  // namespace stackless
