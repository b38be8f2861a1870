// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackful/inbox.hpp"

namespace boost::fibers {
class context;
}

namespace stackful::boost_fiber {

class Scheduler;

/// Auto-reset, sticky, for one waiter: a set() is remembered until a wait() takes it, and two of
/// them before a wait() count once. Plain memory on the scheduler's thread, as in the other rooms:
/// Boost.Fiber's own primitives take a spinlock at every hand-over.
class Event : private Message {
 public:
  explicit Event(Scheduler& scheduler) noexcept;
  ~Event();  ///< nobody may be waiting, or be in the middle of set()
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread. The waiter may destroy the event as soon as its wait() returns.
  void set() noexcept;
  /// Suspends the calling fiber until the event is set, and resets it.
  void wait() noexcept;

 private:
  void set_here() noexcept;

  Scheduler& scheduler_;
  boost::fibers::context* waiter_ = nullptr;
  bool set_ = false;
};

}  // namespace stackful::boost_fiber
