// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <mutex>

namespace io {
class Reactor;
}

namespace stackful::boost_fiber {

class Event;

/// The events that other threads have set, in order, until the worker takes them in after a turn.
/// The worker's own sets never come here, so they need no lock and no atomic read-modify-write.
class Inbox {
 public:
  explicit Inbox(io::Reactor& reactor) noexcept : reactor_{reactor} {}

  /// Any thread. Wakes the reactor before it lets go of the lock, so that a worker that has taken
  /// the event in knows that the other thread is done with it.
  void post(Event& event) noexcept;
  /// The worker: sets every event posted so far.
  void deliver() noexcept;
  /// The worker: takes out an event that is being destroyed.
  void forget(Event& event) noexcept;

 private:
  io::Reactor& reactor_;
  std::mutex lock_;
  Event* first_ = nullptr;
  Event** end_ = &first_;  ///< where the next one is linked
  std::atomic<bool> filled_{false};
};

}  // namespace stackful::boost_fiber
