// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>

#include "io/waiter.hpp"

namespace stackful::boost_fiber {

/// Queues a suspended fiber on its own thread. Straight to its scheduler: `context::schedule` would
/// have to compare whose thread this is, and forbids a fiber to queue itself while it suspends.
inline void make_runnable(boost::fibers::context& fiber) noexcept {
  fiber.get_scheduler()->schedule(&fiber);
}

/// A waiter (an io::Waiter, an io::Timer) that makes the fiber that created it runnable. Lives on
/// that fiber's stack while it is suspended.
template <class Waiter>
struct Parking : Waiter {
  boost::fibers::context& fiber = *boost::fibers::context::active();

  Parking() noexcept {
    this->notify = [](io::Waiter& waiter) noexcept {
      make_runnable(static_cast<Parking&>(waiter).fiber);
    };
  }
  void suspend() noexcept { fiber.suspend(); }
};

}  // namespace stackful::boost_fiber
