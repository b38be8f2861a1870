// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <utility>
#include <variant>

#include "stackless/output.hpp"

namespace stackless {

/// Thrown by `Outcome::take` for a task that was cancelled.
class TaskCancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the task was cancelled"; }
};

/// How a task ended: with its output, by an exception, or cancelled.
template <class T>
class Outcome {
 public:
  struct Cancelled {};

  Outcome(Cancelled) noexcept : held_{std::in_place_index<2>} {}
  explicit Outcome(std::exception_ptr error) noexcept
      : held_{std::in_place_index<1>, std::move(error)} {}
  explicit Outcome(ValueOf<T> value) : held_{std::in_place_index<0>, std::move(value)} {}

  [[nodiscard]] bool has_value() const noexcept { return held_.index() == 0; }
  [[nodiscard]] bool was_cancelled() const noexcept { return held_.index() == 2; }
  /// What the task threw; empty if it threw nothing.
  [[nodiscard]] std::exception_ptr error() const noexcept {
    return held_.index() == 1 ? std::get<1>(held_) : nullptr;
  }
  /// The output; throws what the task threw, or TaskCancelled.
  T take() {
    if (was_cancelled()) throw TaskCancelled{};
    if (held_.index() == 1) std::rethrow_exception(std::get<1>(held_));
    if constexpr (!std::is_void_v<T>) return std::get<0>(std::move(held_));
  }

 private:
  std::variant<ValueOf<T>, std::exception_ptr, Cancelled> held_;
};

}  // namespace stackless
