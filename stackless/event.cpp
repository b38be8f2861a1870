// SPDX-License-Identifier: BSL-1.0
#include "stackless/event.hpp"

#include <thread>
#include <utility>

namespace stackless {

// An event is posted, never woken: nobody makes a waker of it.
constinit const PostedOperations Event::table{{}, &Event::deliver};

/// Held for a few instructions; a holder that was preempted within them is given the CPU.
class Event::Lock {
 public:
  explicit Lock(Event& event) noexcept : locked_{event.locked_} {
    while (locked_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~Lock() { locked_.store(false, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic<bool>& locked_;
};

Event::Event(Executor& executor, bool shared) noexcept
    : Posted{table},
      executor_{&executor},
      state_{shared ? State::shared : State::empty},
      shared_{shared} {}

Event::~Event() {
  if (shared_) const Lock lock{*this};
  while (posted_.load(std::memory_order_acquire)) executor_->deliver_posts();
}

void Event::set_from_elsewhere() noexcept {
  if (shared_) return set_shared();
  if (!posted_.exchange(true, std::memory_order_acq_rel)) executor_->post(*this);
}

/// An exchange, so that what any setter wrote before is visible to the waiter.
void Event::deliver(Posted& posted) noexcept {
  Event& event = static_cast<Event&>(posted);
  event.posted_.exchange(false, std::memory_order_acq_rel);
  event.set_here();
}

void Event::change_waiter(Context& context) {
  context.stay_on_this_thread();
  waiter_.clone_from(context.waker());
}

// ---- shared by several workers

/// Whoever the wake lets go on may destroy the event: nothing of it is touched after the lock.
void Event::set_shared() noexcept {
  Waker woken;
  {
    const Lock lock{*this};
    shared_set_ = true;
    woken = std::move(waiter_);
  }
  woken.wake();
}

Poll<void> Event::poll_wait_shared(Context& context) {
  Waker waiter = context.waker().clone();  // what it replaces is dropped after the lock
  const Lock lock{*this};
  if (!shared_set_) {
    std::swap(waiter_, waiter);
    return pending;
  }
  if (!context.may_proceed()) return pending;
  shared_set_ = false;
  return ready;
}

void Event::forget_shared_waiter() noexcept {
  Waker forgotten;
  const Lock lock{*this};
  std::swap(waiter_, forgotten);
}

}  // namespace stackless
