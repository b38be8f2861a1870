// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/event_ring.hpp"

#include <utility>

namespace harness::floors {

EventRing::EventRing(std::size_t tasks) {
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_.push_back(std::make_unique<Task>());
    tasks_.back()->poll = &take_and_hand_on;
  }
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_[index]->successor = tasks_[(index + 1) % tasks].get();
    wake(*tasks_[index]);
  }
  holder_ = tasks_.front().get();
  run();  // until all wait
}

void EventRing::pass(std::uint64_t hops) noexcept {
  left_ = hops;
  set(holder_->baton);
  run();
}

void EventRing::run() noexcept {
  while (Task* const task = first_) {
    first_ = task->next_scheduled;
    task->phase = Phase::running;
    task->poll(*task, *this);
    if (task->phase == Phase::running) {
      task->phase = Phase::idle;
    } else {
      schedule(*task);
    }
  }
}

void EventRing::take_and_hand_on(Task& self, EventRing& ring) noexcept {
  while (poll_wait(self.baton, self)) {
    ++self.visits;
    if (--ring.left_ == 0) {
      ring.holder_ = self.successor;
    } else {
      ring.set(self.successor->baton);
    }
  }
}

bool EventRing::poll_wait(Event& event, Task& self) noexcept {
  if (std::exchange(event.set, false)) return true;
  event.waiter = &self;
  return false;
}

void EventRing::set(Event& event) noexcept {
  event.set = true;
  if (Task* const waiter = std::exchange(event.waiter, nullptr)) wake(*waiter);
}

void EventRing::wake(Task& task) noexcept {
  if (task.phase == Phase::idle) schedule(task);
  if (task.phase == Phase::running) task.phase = Phase::running_woken;
}

void EventRing::schedule(Task& task) noexcept {
  task.phase = Phase::scheduled;
  task.next_scheduled = nullptr;
  (first_ == nullptr ? first_ : last_->next_scheduled) = &task;
  last_ = &task;
}

}  // namespace harness::floors
