// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>

namespace boost::fibers {
class context;
}

namespace stackful::boost_fiber {

class Scheduler;

/// Auto-reset, sticky, one waiter. The waiting fiber is kept here, not in a Boost.Fiber primitive:
/// those take a spinlock a hand-over, which the other rooms' events do not.
class Event {
 public:
  explicit Event(Scheduler& scheduler) noexcept : scheduler_{scheduler} {}
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread. Sets before the wait has taken one are one. Nobody may still be setting an event
  /// that is being destroyed.
  void set() noexcept;
  /// A task of the runtime: returns once set, and resets. Never wakes without a set.
  void wait() noexcept;

 private:
  friend class Inbox;
  void set_here() noexcept;

  Scheduler& scheduler_;
  boost::fibers::context* waiting_ = nullptr;
  Event* next_posted_ = nullptr;     ///< of the inbox, under its lock
  std::atomic<bool> posted_{false};  ///< another thread's set is in the inbox
  bool set_ = false;
};

}  // namespace stackful::boost_fiber
