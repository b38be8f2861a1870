// SPDX-License-Identifier: BSL-1.0
#include "stackful/sleep.hpp"

#include "io/timing_wheel.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {
namespace {

struct Sleeper : io::Timer {
  explicit Sleeper(Fiber& who) noexcept : fiber{who} {
    notify = [](io::Waiter& waiter) noexcept {
      auto& sleeper = static_cast<Sleeper&>(waiter);
      sleeper.due = true;
      sleeper.fiber.scheduler().unpark(sleeper.fiber);
    };
  }

  ~Sleeper() { fiber.scheduler().reactor().timers().cancel(*this); }  // the sleep was cancelled

  Fiber& fiber;
  bool due = false;
};

}  // namespace

void sleep_until(io::TimePoint deadline) {
  if (deadline <= io::Clock::now()) return;
  Scheduler& scheduler = *Scheduler::current();
  Sleeper sleeper{scheduler.running()};
  scheduler.reactor().timers().insert(sleeper, deadline);
  while (!sleeper.due) scheduler.park();
}

}  // namespace stackful
