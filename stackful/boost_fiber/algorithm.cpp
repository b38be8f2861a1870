// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/algorithm.hpp"

#include <boost/fiber/context.hpp>

#include "io/reactor.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

void Algorithm::awakened(boost::fibers::context* fiber) noexcept {
  fiber->ready_link(ready_);
}

// With an empty queue it must not look: the dispatcher has just emptied Boost.Fiber's remote queue
// and will wait next. A look here would swallow the wake of whoever has filled it since.
boost::fibers::context* Algorithm::pick_next() noexcept {
  if (ready_.empty()) return nullptr;
  if (++picks_since_look_ >= io::poll_budget) {
    picks_since_look_ = 0;
    scheduler_.look();
  }
  scheduler_.begin_slice();
  boost::fibers::context& first = ready_.front();
  ready_.pop_front();
  return &first;
}

void Algorithm::suspend_until(const io::TimePoint& deadline) noexcept {
  picks_since_look_ = 0;
  scheduler_.turn(deadline);
}

void Algorithm::notify() noexcept {
  scheduler_.reactor().wake();
}

}  // namespace stackful::boost_fiber
