// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackful/inbox.hpp"
#include "stackful/runtime.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

/// Auto-reset, sticky, for one waiter: a set() is remembered until a wait() takes it, and two of
/// them before a wait() count once.
///
/// At home on one scheduler, where it is plain memory. Other threads' calls go through that
/// scheduler's inbox: one message for a set, two for a wait.
class Event : private Message {
 public:
  explicit Event(Scheduler& home) noexcept;
  /// At home where it is made: on the calling worker, or the first one when made outside.
  explicit Event(Runtime& runtime) noexcept : Event{runtime.here()} {}
  /// At home, or after run(); nobody may be waiting, or be in the middle of set().
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Any thread. The waiter may destroy the event as soon as its wait() returns.
  void set() noexcept {
    Scheduler* const here = Scheduler::current();
    if (here == &home_) [[likely]] {
      set_here(*here);
    } else {
      home_.post(*this);
    }
  }

  /// Parks the calling fiber until the event is set, and resets it. A cancelled wait leaves it as
  /// it is.
  [[gnu::always_inline]] void wait() {
    Scheduler* const here = Scheduler::current();
    if (here != &home_) [[unlikely]] {
      return wait_elsewhere();
    }
    if (!set_) [[likely]] {
      wait_once(*here);
      if (!set_) [[unlikely]] {
        wait_again(*here);
      }
    }
    set_ = false;
  }

 private:
  struct Request;     // of a fiber on another worker
  struct Withdrawal;  // the same, cancelled

  [[gnu::always_inline]] void wait_once(Scheduler& here) {
    waiter_ = &here.running();
    try {
      here.park();
    } catch (const Cancelled&) {
      waiter_ = nullptr;
      throw;
    }
  }
  void wait_again(Scheduler& here);  // an unpark came that was meant for an earlier wait
  // Takes the scheduler that the caller runs on, which is known to be the event's home: so it stays
  // in the register that the switch right after this needs it in.
  void set_here(Scheduler& here) noexcept {
    set_ = true;
    if (Fiber* waiter = std::exchange(waiter_, nullptr)) [[likely]] {
      here.unpark(*waiter);
    } else if (request_ != nullptr) {
      grant();
    }
  }
  void grant() noexcept;
  void wait_elsewhere();

  Scheduler& home_;
  Fiber* waiter_ = nullptr;
  bool set_ = false;
  Request* request_ = nullptr;
};

}  // namespace stackful
