// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timers.hpp"

#include <optional>
#include <system_error>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/timetable.hpp"

namespace harness {

namespace {

using Seat = Timetable::Seat;

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
void keep_time_direct(Seat& seat) {
  while (const auto deadline = seat.next()) B::sleep_until(*deadline);
}

class KeepTime : stackless::Immovable {
 public:
  using Output = void;

  explicit KeepTime(Seat& seat) noexcept : seat_{&seat} {}

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

template <class B>
stackless::Async<void> keep_time_coroutine(Seat& seat) {
  while (const auto deadline = seat.next()) {
    co_await B::sleep_until(*deadline);
  }
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, Seat& seat) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&seat] { keep_time_direct<B>(seat); });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&seat] { return KeepTime{seat}; });
  } else {
    return runtime.spawn([&seat] { return keep_time_coroutine<B>(seat); });
  }
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Timetable table{Timetable::Plan::of(cell, port.measure_for())};
  typename B::Runtime runtime{typename B::Options{}};
  std::uint64_t tasks = 0;
  for (Seat& seat : table.seats()) {
    if (const auto error = spawn<C>(runtime, seat)) port.give_up(refusal(error, tasks));
    ++tasks;
  }
  runtime.run();
  table.report(port, SystemCallCount::present);
}

}  // namespace

std::vector<Subject> timers_subjects() {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() { subjects.push_back({"timers", C::name, &run<C>}); });
  return subjects;
}

}  // namespace harness
