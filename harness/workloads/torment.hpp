// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <utility>

#include "harness/batches.hpp"
#include "harness/subject.hpp"
#include "stackless/backend.hpp"

namespace harness {

/// A task that waits for an event, and what happens to it.
template <class B>
struct Torment {
  Torment(Port& port, typename B::Runtime& runtime, std::uint64_t spurious)
      : batches{port.measure_for(), spurious + 1},
        event{runtime},
        spurious_wakes{spurious},
        spurious_left{spurious} {}

  /// The task, whenever its wait is over; whether to wait again.
  bool answer() {
    ++answers;
    if (!std::exchange(due, false)) ++early_answers;
    if (--rounds_left != 0) return true;
    if (!started) {
      batches.start();
    } else if (!batches.lap()) {
      return false;
    }
    started = true;
    rounds_left = batches.rounds();
    return true;
  }
  /// Between two polls, from within the first: arranges for the second, in vain or not.
  void go_on(const stackless::Waker& waker) {
    if (spurious_left != 0) {
      --spurious_left;
      return waker.wake_by_ref();
    }
    spurious_left = spurious_wakes;
    due = true;
    event.set();
  }
  /// Sends `ns_per_wake` and what belongs to it, `spurious_polls_per_op`, the polls of a wait
  /// beyond the one that ends it, and `early_ends`, the waits that a wake for nothing ended.
  void report(Port& port) const {
    batches.report(port, "wake");
    port.result("spurious_polls_per_op",
                static_cast<double>(polls - 1) / static_cast<double>(answers) - 1);
    port.result("early_ends", static_cast<double>(early_answers));
  }

  Batches batches;
  typename B::Event event;
  std::uint64_t spurious_wakes;  // for each that is none
  std::uint64_t spurious_left;
  std::uint64_t rounds_left = 1;
  bool due = false;  // the event was set, and nobody has answered
  std::uint64_t answers = 0;
  std::uint64_t early_answers = 0;
  std::uint64_t polls = 0;
  bool started = false;
};

/// The body in its task, which is polled for nothing in between.
template <class B, class Body>
class Tormented : stackless::Immovable {
 public:
  using Output = void;

  Tormented(Torment<B>& torment, Body (*make)(Torment<B>&))
      : torment_{&torment}, body_{make(torment)} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    ++torment_->polls;
    if (body_.poll(context).is_ready()) return stackless::ready;
    torment_->go_on(context.waker());
    return stackless::pending;
  }

 private:
  Torment<B>* torment_;
  Body body_;
};

}  // namespace harness
