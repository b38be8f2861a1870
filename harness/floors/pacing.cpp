// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/pacing.hpp"

#include "harness/lateness.hpp"
#include "harness/resource_usage.hpp"

namespace harness::floors {

namespace {

void run(Port& port, const Cell&) {
  const ResourceUsage before = ResourceUsage::at_start();
  const Histogram lateness = spin(port.measure_for());
  const Consumption consumption{before, ResourceUsage::at_end()};
  report_lateness(port, lateness);
  consumption.report(port, "moment", lateness.count(), SystemCallCount::absent);
}

}  // namespace

Histogram spin(std::chrono::nanoseconds how_long) {
  Histogram lateness;
  io::TimePoint now = io::Clock::now();
  const io::TimePoint end = now + how_long;
  for (io::TimePoint moment = now + pacing_step; moment < end; moment += pacing_step) {
    while (now < moment) now = io::Clock::now();
    lateness.record(static_cast<std::uint64_t>((now - moment).count()));
  }
  return lateness;
}

Subject pacing(std::string_view question) {
  return {question, "floor-pacing", &run};
}

}  // namespace harness::floors
