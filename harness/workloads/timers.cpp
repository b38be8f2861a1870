// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timers.hpp"

#include <optional>

#include "harness/contenders.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/timetable.hpp"

namespace harness {

namespace {

using Seat = Timetable::Seat;

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
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

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Timetable table{Timetable::Plan::of(cell, port.measure_for())};
  typename B::Runtime runtime{typename B::Options{}};
  spawn_each<C, KeepTime<B>>(port, runtime, table.seats());
  runtime.run();
  table.report(port, SystemCallCount::present);
}

}  // namespace

std::vector<Subject> timers_subjects() {
  return subjects_of("timers", []<class C>() { return &run<C>; });
}

}  // namespace harness
