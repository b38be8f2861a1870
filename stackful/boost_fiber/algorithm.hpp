// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/scheduler.hpp>

#include "io/clock.hpp"

namespace stackful::boost_fiber {

class Scheduler;

/// Boost.Fiber's round robin, except that it waits in the runtime's reactor. Boost.Fiber calls it
/// on the thread whose fibers it orders; `notify` comes from any thread.
class Algorithm final : public boost::fibers::algo::algorithm {
 public:
  explicit Algorithm(Scheduler& scheduler) noexcept : scheduler_{scheduler} {}

  void awakened(boost::fibers::context* fiber) noexcept override;
  /// Offers the reactor a look every io::poll_budget picks: the dispatcher alone would look only
  /// when nothing is ready.
  boost::fibers::context* pick_next() noexcept override;
  [[nodiscard]] bool has_ready_fibers() const noexcept override { return !ready_.empty(); }
  void suspend_until(const io::TimePoint& deadline) noexcept override;
  void notify() noexcept override;

 private:
  Scheduler& scheduler_;
  boost::fibers::scheduler::ready_queue_type ready_{};
  unsigned picks_since_look_ = 0;
};

}  // namespace stackful::boost_fiber
