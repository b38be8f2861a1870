// SPDX-License-Identifier: BSL-1.0
#include "stackless/executor.hpp"
#include "stackless/worker.hpp"

namespace stackless {
namespace {

Task& task_of(Wakeable& target) noexcept {
  return static_cast<Task&>(target);
}

}  // namespace

/// An orphan's executor is empty, and a thread outside every run() has none either.
bool Task::owned_here() const noexcept {
  const Executor* const executor = executor_.load(std::memory_order_relaxed);
  if (executor == Executor::current_) [[likely]] {
    return executor != nullptr;
  }
  return false;
}

/// Posting is safe after the asking: until the post is delivered, the executor does not end.
void TaskWaker::fulfil(RemoteState::Duty duty, Task& task) noexcept {
  if (duty == RemoteState::Duty::post) {
    task.executor_.load(std::memory_order_relaxed)->post(task);
  } else if (duty == RemoteState::Duty::free) {
    task.operations().free(task);
  }
}

void TaskWaker::clone(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (task.owned_here()) {
    ++task.local_references_;
  } else {
    task.remote_.clone();
  }
}

void TaskWaker::wake(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (!task.owned_here()) return fulfil(task.remote_.wake_and_drop(), task);
  if (task.state_.wake()) Executor::current_->schedule(task);
  Executor::current_->release(task, 1);
}

void TaskWaker::wake_by_ref(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (task.owned_here()) [[likely]] {
    if (task.state_.wake()) Executor::current_->schedule(task);
    return;
  }
  fulfil(task.remote_.wake(), task);
}

void TaskWaker::drop(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (task.owned_here()) [[likely]] {
    return Executor::current_->release(task, 1);
  }
  fulfil(task.remote_.drop(), task);
}

void TaskWaker::cancel(Task& task) noexcept {
  if (!task.owned_here()) return fulfil(task.remote_.cancel(), task);
  Executor::current_->cancel(task);
}

void TaskWaker::deliver(Posted& posted) noexcept {
  Task& task = static_cast<Task&>(posted);
  if (task.is_offered()) return Worker::current->begin(task);
  const RemoteState::Collected collected = task.remote_.collect();
  task.local_references_ += collected.references + 1;  // ours, until all has been done
  if (collected.cancelled) Executor::current_->cancel(task);
  if (collected.woken && task.state_.wake()) Executor::current_->schedule(task);
  Executor::current_->release(task, 1);
}

}  // namespace stackless
