// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/waker_ring.hpp"

#include <utility>

namespace harness::floors {

WakerRing::WakerRing(std::size_t tasks) {
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_.push_back(std::make_unique<Task>(table, *this));
  }
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_[index]->successor = tasks_[(index + 1) % tasks].get();
    wake(*tasks_[index]);
  }
  holder_ = tasks_.front().get();
  run();  // until all wait
}

void WakerRing::pass(std::uint64_t hops) noexcept {
  left_ = hops;
  set(holder_->baton);
  run();
}

void WakerRing::run() noexcept {
  while (Task* const task = first_) {
    first_ = task->next_scheduled;
    task->phase = Phase::running;
    if (task->operations->poll(*task) == Polled::ready) continue;
    if (task->phase == Phase::running) {
      task->phase = Phase::idle;
    } else {
      schedule(*task);
    }
  }
}

WakerRing::Polled WakerRing::take_and_hand_on(Task& self) noexcept {
  while (poll_wait(self.baton, self) == Polled::ready) {
    ++self.visits;
    if (--self.ring->left_ == 0) {
      self.ring->holder_ = self.successor;
    } else {
      set(self.successor->baton);
    }
  }
  return Polled::pending;
}

WakerRing::Polled WakerRing::poll_wait(Event& event, Task& waiter) noexcept {
  if (std::exchange(event.set, false)) return Polled::ready;
  event.waker = &waiter;
  return Polled::pending;
}

void WakerRing::set(Event& event) noexcept {
  event.set = true;
  if (Task* const waiter = std::exchange(event.waker, nullptr)) waiter->operations->wake(*waiter);
}

void WakerRing::wake(Task& task) noexcept {
  if (task.phase == Phase::idle) return task.ring->schedule(task);
  if (task.phase == Phase::running) task.phase = Phase::running_woken;
}

void WakerRing::schedule(Task& task) noexcept {
  task.phase = Phase::scheduled;
  task.next_scheduled = nullptr;
  (first_ == nullptr ? first_ : last_->next_scheduled) = &task;
  last_ = &task;
}

}  // namespace harness::floors
