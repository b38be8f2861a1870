// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timers.hpp"

#include "harness/contenders.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/keep_time.hpp"
#include "harness/workloads/timetable.hpp"

namespace harness {

namespace {

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Timetable table{Timetable::Plan::of(cell, port.measure_for())};
  typename B::Runtime runtime{typename B::Options{}};
  spawn_each<C, KeepTime<B, Timetable::Seat>>(port, runtime, table.seats());
  runtime.run();
  table.report(port, SystemCallCount::present);
}

}  // namespace

std::vector<Subject> timers_subjects() {
  return subjects_of("timers", []<class C>() { return &run<C>; });
}

}  // namespace harness
