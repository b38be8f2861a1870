// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include "stackless/backend.hpp"

namespace harness {

/// The bodies of a task that sleeps until each moment its seat names, `seat.next()`, until it names
/// none.
template <class B, class Seat>
struct KeepTime {
  static void direct(Seat& seat) {
    while (const auto deadline = seat.next()) B::sleep_until(*deadline);
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Seat& seat) noexcept : seat_{&seat} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      while (!asleep_ || asleep_->poll(context).is_ready()) {
        const auto deadline = seat_->next();
        if (!deadline) return stackless::ready;
        asleep_.emplace(*deadline);
      }
      return stackless::pending;
    }

   private:
    Seat* seat_;
    std::optional<stackless::Sleep> asleep_;
  };

  static stackless::Async<void> coroutine(Seat& seat) {
    while (const auto deadline = seat.next()) {
      co_await B::sleep_until(*deadline);
    }
  }
};

}  // namespace harness
