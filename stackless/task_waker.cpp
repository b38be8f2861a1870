// SPDX-License-Identifier: BSL-1.0
#include "stackless/executor.hpp"

namespace stackless {
namespace {

Task& task_of(Wakeable& target) noexcept {
  return static_cast<Task&>(target);
}

}  // namespace

/// An orphan's executor is empty, and a thread outside every run() has none either.
bool TaskWaker::owned_here(const Task& task) noexcept {
  const Executor* const executor = task.executor_.load(std::memory_order_relaxed);
  return executor != nullptr && executor->is_current();
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
  if (owned_here(task)) {
    ++task.local_references_;
  } else {
    task.remote_.clone();
  }
}

void TaskWaker::wake(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (!owned_here(task)) return fulfil(task.remote_.wake_and_drop(), task);
  if (task.state_.wake()) Executor::current_->schedule(task);
  Executor::current_->release(task, 1);
}

void TaskWaker::wake_by_ref(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (!owned_here(task)) return fulfil(task.remote_.wake(), task);
  if (task.state_.wake()) Executor::current_->schedule(task);
}

void TaskWaker::drop(Wakeable& target) noexcept {
  Task& task = task_of(target);
  if (!owned_here(task)) return fulfil(task.remote_.drop(), task);
  Executor::current_->release(task, 1);
}

void TaskWaker::deliver(Posted& posted) noexcept {
  Task& task = static_cast<Task&>(posted);
  const RemoteState::Collected collected = task.remote_.collect();
  if (collected.woken && task.state_.wake()) Executor::current_->schedule(task);
  Executor::current_->release(task, -collected.references);
}

}  // namespace stackless
