// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/event.hpp"

#include <boost/fiber/context.hpp>
#include <utility>

#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

Event::Event(Scheduler& scheduler) noexcept : scheduler_{scheduler} {
  deliver = [](Message& message) noexcept {
    static_cast<Event&>(message).set_here();
  };
}

Event::~Event() {
  if (posted.load(std::memory_order_relaxed)) scheduler_.deliver_posted();
}

void Event::set() noexcept {
  if (Scheduler::current() == &scheduler_) {
    set_here();
  } else {
    scheduler_.post(*this);
  }
}

void Event::set_here() noexcept {
  set_ = true;
  if (auto* const waiter = std::exchange(waiter_, nullptr)) make_runnable(*waiter);
}

void Event::wait() noexcept {
  while (!set_) {
    waiter_ = boost::fibers::context::active();
    scheduler_.suspend(*waiter_);
  }
  set_ = false;
}

}  // namespace stackful::boost_fiber
