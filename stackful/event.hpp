// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackful/inbox.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

/// Auto-reset, sticky, for one waiter: a set() is remembered until a wait() takes it, and two of
/// them before a wait() count once. Plain memory on the scheduler's thread; other threads' calls go
/// through its inbox.
class Event : private Message {
 public:
  explicit Event(Scheduler& scheduler) noexcept;
  ~Event();  ///< nobody may be waiting, or be in the middle of set()
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread. The waiter may destroy the event as soon as its wait() returns.
  void set() noexcept {
    if (Scheduler::current() == &scheduler_) {
      set_here();
    } else {
      scheduler_.post(*this);
    }
  }

  /// Parks the calling fiber until the event is set, and resets it. A cancelled wait leaves it as
  /// it is.
  void wait() {
    while (!set_) {
      const Waiting waiting{*this};
      scheduler_.park();
    }
    set_ = false;
  }

 private:
  struct Waiting {
    explicit Waiting(Event& awaited) noexcept : event{awaited} {
      event.waiter_ = &event.scheduler_.running();
    }
    ~Waiting() { event.waiter_ = nullptr; }
    Event& event;
  };

  void set_here() noexcept {
    set_ = true;
    if (Fiber* waiter = std::exchange(waiter_, nullptr)) scheduler_.unpark(*waiter);
  }

  Scheduler& scheduler_;
  Fiber* waiter_ = nullptr;
  bool set_ = false;
};

}  // namespace stackful
