// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/sleep.hpp"

#include "io/reactor.hpp"
#include "io/timing_wheel.hpp"
#include "stackful/boost_fiber/parking.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

void sleep_until(io::TimePoint deadline) noexcept {
  Parking<io::Timer> parking;
  Scheduler::current()->reactor().timers().insert(parking, deadline);
  parking.suspend();
}

void yield() noexcept {
  boost::fibers::context::active()->yield();
}

}  // namespace stackful::boost_fiber
