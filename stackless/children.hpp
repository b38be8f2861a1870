// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "stackless/one_of.hpp"

namespace stackless {

/// The rooms of several futures that are begun together. What is still there goes together, the
/// last first: they are members. Freestanding.
template <class... Rooms>
class Children;

template <>
class Children<> {
 public:
  explicit Children() = default;
  void reset() noexcept {}
};

template <class First, class... Rest>
class Children<First, Rest...> {
 public:
  template <class Make, class... Makes>
  explicit Children(Make& make, Makes&... makes) : first_{make}, rest_{makes...} {}
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  template <std::size_t I>
  [[nodiscard]] auto& get() noexcept {
    if constexpr (I == 0) {
      return first_;
    } else {
      return rest_.template get<I - 1>();
    }
  }
  void reset() noexcept {
    rest_.reset();
    first_.reset();
  }

 private:
  First first_;
  [[no_unique_address]] Children<Rest...> rest_;
};

}  // namespace stackless
