// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/fiber/context.hpp>

#include "io/waiter.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

/// The calling fiber as a waiter (an io::Waiter, an io::Timer), whose notification makes it
/// runnable. Lives on the fiber's stack while it is suspended.
template <class Waiter>
class Parking : public Waiter {
 public:
  Parking() noexcept {
    this->notify = [](io::Waiter& waiter) noexcept {
      auto& parking = static_cast<Parking&>(waiter);
      parking.notified_ = true;
      make_runnable(parking.fiber_);
    };
  }

  /// Returns once notified.
  void suspend(Scheduler& scheduler) noexcept {
    while (!notified_) scheduler.suspend(fiber_);
  }

 private:
  boost::fibers::context& fiber_ = *boost::fibers::context::active();
  bool notified_ = false;
};

}  // namespace stackful::boost_fiber
