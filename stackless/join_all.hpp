// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "stackless/join_each.hpp"

namespace stackless {

/// Any number of futures at once, and all their outputs in the order of their numbers.
template <Future F>
class JoinAll {
 public:
  using Output = std::vector<ValueOf<OutputOf<F>>>;

  template <class Make>
  JoinAll(std::size_t count, Make& make)
      : outputs_(count), children_{JoinMemory<F>::allocate(count), count, make, Keep{outputs_}} {}
  JoinAll(const JoinAll&) = delete;
  JoinAll& operator=(const JoinAll&) = delete;

  Poll<Output> poll(Context& context) {
    if (children_.poll(context).is_pending()) return pending;
    Output outputs;
    outputs.reserve(outputs_.size());
    for (auto& output : outputs_) outputs.push_back(*std::move(output));
    outputs_.clear();
    return outputs;
  }

 private:
  using Kept = std::vector<std::optional<ValueOf<OutputOf<F>>>>;
  struct Keep {
    Kept& outputs;
    void operator()(std::size_t child, ValueOf<OutputOf<F>> output) {
      outputs[child].emplace(std::move(output));
    }
  };

  Kept outputs_;
  JoinEach<F, Keep> children_;
};

/// `join_all(10, [&](std::size_t i) { return read(i); })`: a future of a vector (of `Unit` for no
/// output). A fixed number of allocations; `join_each` with a block has none.
template <ChildFactory Make>
[[nodiscard]] JoinAll<ChildOf<Make>> join_all(std::size_t count, Make&& make) {
  return {count, make};
}

}  // namespace stackless
