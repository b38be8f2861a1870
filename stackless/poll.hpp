// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <utility>

namespace stackless {

/// "Not yet": what a poll answers after it has arranged a wake-up.
struct Pending {};
inline constexpr Pending pending{};

/// What one poll brought: the output, or `pending`. Freestanding.
template <class T = void>
class [[nodiscard]] Poll {
 public:
  using Output = T;

  constexpr Poll(Pending) noexcept {}
  constexpr Poll(T output) : output_{std::move(output)} {}

  [[nodiscard]] constexpr bool is_ready() const noexcept { return output_.has_value(); }
  [[nodiscard]] constexpr bool is_pending() const noexcept { return !output_.has_value(); }
  /// The output of a poll that is ready; moves out of it.
  [[nodiscard]] constexpr T take() { return std::move(*output_); }
  [[nodiscard]] constexpr const T& output() const noexcept { return *output_; }

 private:
  std::optional<T> output_;
};

template <>
class [[nodiscard]] Poll<void> {
 public:
  using Output = void;

  constexpr Poll() noexcept : ready_{true} {}
  constexpr Poll(Pending) noexcept : ready_{false} {}

  [[nodiscard]] constexpr bool is_ready() const noexcept { return ready_; }
  [[nodiscard]] constexpr bool is_pending() const noexcept { return !ready_; }
  constexpr void take() const noexcept {}

 private:
  bool ready_;
};

/// The answer of a poll without output that is done.
inline constexpr Poll<void> ready{};

}  // namespace stackless
