// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "stackless/backend.hpp"
#include "stackless/push/backend.hpp"

namespace harness {

/// One of two tasks that hand over to each other, through the room's own events. Begun last, the
/// first finds the second waiting already, so that every wait suspends.
template <class B>
struct Side {
  Side(typename B::Runtime& runtime, bool is_first) : mine{runtime}, first{is_first} {}

  /// Called by the body before its first wait.
  void begin() {
    if (first) other->mine.set();
  }
  /// Called by the body after each wait; whether there is another.
  bool step() {
    ++steps;
    if (--left > 0 || !first) other->mine.set();
    return left > 0;
  }

  typename B::Event mine;
  bool first;
  Side* other = nullptr;
  std::uint64_t left = 0;
  std::uint64_t steps = 0;
};

/// A task that is suspended as often as its side says.
template <class B>
struct Walk {
  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Side<B>& side) noexcept : side_{&side} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      if (!begun_) {
        begun_ = true;
        side_->begin();
      }
      while (side_->mine.poll_wait(context).is_ready()) {
        if (!side_->step()) return stackless::ready;
      }
      return stackless::pending;
    }

   private:
    Side<B>* side_;
    bool begun_ = false;
  };

  static stackless::Async<void> coroutine(Side<B>& side) {
    side.begin();
    do {
      co_await side.mine.wait();
    } while (side.step());
  }

  static void callback(Side<B>& side) {
    side.begin();
    wait(side);
  }
  /// Each wait is begun by the continuation of the one before: no chain of promises grows.
  static void wait(Side<B>& side) {
    static_cast<void>(side.mine.wait().then([&side] {
      if (side.step()) wait(side);
    }));
  }
};

/// Two tasks and what they share, to be begun again and again.
template <class B>
class Walkers {
 public:
  explicit Walkers(typename B::Runtime& runtime) : first_{runtime, true}, second_{runtime, false} {
    first_.other = &second_;
    second_.other = &first_;
  }

  /// Both walk to their end, suspended so often each; `spawn` makes a task of a side. False: they
  /// did not get there.
  template <class Spawn>
  bool walk(typename B::Runtime& runtime, std::uint64_t suspensions, Spawn spawn) {
    for (Side<B>* side : {&second_, &first_}) {
      side->left = suspensions;
      side->steps = 0;
      if (spawn(*side)) return false;
    }
    runtime.run();
    return first_.left == 0 && second_.left == 0;
  }
  [[nodiscard]] std::uint64_t steps() const noexcept { return first_.steps + second_.steps; }

 private:
  Side<B> first_;
  Side<B> second_;
};

}  // namespace harness
