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
  /// Called by the body after each wait; whether there is another. `waits` is how many there have
  /// been, counted by the body in what it keeps across them: one that began again at each resume
  /// would never get there, and is let go once it has made the square of the steps.
  bool step(std::uint64_t waits) {
    ++steps;
    const bool another = waits < suspensions && steps < suspensions * suspensions;
    if (another || !first) other->mine.set();
    ended = !another;
    return another;
  }

  typename B::Event mine;
  bool first;
  Side* other = nullptr;
  std::uint64_t suspensions = 0;
  std::uint64_t steps = 0;
  bool ended = false;
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
        if (!side_->step(++waits_)) return stackless::ready;
      }
      return stackless::pending;
    }

   private:
    Side<B>* side_;
    std::uint64_t waits_ = 0;
    bool begun_ = false;
  };

  static stackless::Async<void> coroutine(Side<B>& side) {
    std::uint64_t waits = 0;
    side.begin();
    do {
      co_await side.mine.wait();
    } while (side.step(++waits));
  }

  static void callback(Side<B>& side) {
    side.begin();
    wait(side, 1);
  }
  /// Each wait is begun by the continuation of the one before: no chain of promises grows.
  static void wait(Side<B>& side, std::uint64_t waits) {
    static_cast<void>(side.mine.wait().then([&side, waits] {
      if (side.step(waits)) wait(side, waits + 1);
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
      side->suspensions = suspensions;
      side->steps = 0;
      side->ended = false;
      if (spawn(*side)) return false;
    }
    runtime.run();
    return first_.ended && second_.ended;
  }
  [[nodiscard]] std::uint64_t steps() const noexcept { return first_.steps + second_.steps; }

 private:
  Side<B> first_;
  Side<B> second_;
};

}  // namespace harness
