// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/event.hpp"

#include <boost/fiber/context.hpp>
#include <utility>

#include "stackful/boost_fiber/parking.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

Event::~Event() {
  if (posted_.load(std::memory_order_relaxed)) scheduler_.inbox().forget(*this);
}

void Event::set() noexcept {
  if (Scheduler::current() == &scheduler_) {
    set_here();
  } else {
    scheduler_.inbox().post(*this);
  }
}

void Event::set_here() noexcept {
  set_ = true;
  if (auto* const fiber = std::exchange(waiting_, nullptr)) make_runnable(*fiber);
}

void Event::wait() noexcept {
  if (!set_) {
    waiting_ = boost::fibers::context::active();
    waiting_->suspend();
  }
  set_ = false;
}

}  // namespace stackful::boost_fiber
