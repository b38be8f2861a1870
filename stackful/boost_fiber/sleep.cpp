// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/sleep.hpp"

#include "io/reactor.hpp"
#include "io/timing_wheel.hpp"
#include "stackful/boost_fiber/parking.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

void sleep_until(io::TimePoint deadline) noexcept {
  if (deadline <= io::Clock::now()) return;
  Scheduler& scheduler = *Scheduler::current();
  Parking<io::Timer> parking;
  scheduler.reactor().timers().insert(parking, deadline);
  parking.suspend(scheduler);
}

void yield() noexcept {
  Scheduler::current()->yield();
}

}  // namespace stackful::boost_fiber
