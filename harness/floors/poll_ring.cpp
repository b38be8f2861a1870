// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/poll_ring.hpp"

namespace harness::floors {

PollRing::PollRing(std::size_t tasks) {
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_.push_back(std::make_unique<Task>());
    tasks_.back()->poll = &take_and_hand_on;
  }
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_[index]->successor = tasks_[(index + 1) % tasks].get();
  }
  holder_ = tasks_.front().get();
}

void PollRing::pass(std::uint64_t hops) noexcept {
  left_ = hops;
  holder_->has_baton = true;
  wake(*holder_);
  while (Task* const task = first_) {
    first_ = task->next_queued;
    task->queued = false;
    task->poll(*task, *this);
  }
}

void PollRing::take_and_hand_on(Task& self, PollRing& ring) noexcept {
  if (!self.has_baton) return;
  self.has_baton = false;
  ++self.visits;
  if (--ring.left_ == 0) {
    ring.holder_ = self.successor;
    return;
  }
  self.successor->has_baton = true;
  ring.wake(*self.successor);
}

void PollRing::wake(Task& task) noexcept {
  if (task.queued) return;
  task.queued = true;
  task.next_queued = nullptr;
  (first_ == nullptr ? first_ : last_->next_queued) = &task;
  last_ = &task;
}

}  // namespace harness::floors
