// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "stackless/future.hpp"
#include "stackless/inbox.hpp"
#include "stackless/list_link.hpp"
#include "stackless/remote_state.hpp"
#include "stackless/task_name.hpp"
#include "stackless/task_state.hpp"

namespace stackless {

class Executor;
class Task;

/// What differs from one future type to the next. The first five are for wakers and the inbox.
struct TaskOperations : PostedOperations {
  bool (*poll)(Task&) noexcept;         ///< true: ready
  void (*drop_future)(Task&) noexcept;  ///< the task's memory stays
  void (*free)(Task&) noexcept;
  TaskName name;
};

/// The header of a task; the future follows in the same allocation. Belongs to the thread of its
/// executor; other threads reach it through wakers only (task_waker.cpp).
class Task : public Posted, public ListLink {
 public:
  Task(const TaskOperations& operations, Executor& executor) noexcept
      : Posted{operations}, executor_{&executor} {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  [[nodiscard]] const TaskOperations& operations() const noexcept {
    return *static_cast<const TaskOperations*>(Wakeable::operations);
  }
  [[nodiscard]] bool is_idle() const noexcept { return state_.phase() == Phase::idle; }
  /// Idle, and nobody holds a waker: it will never be polled again. Owner only.
  [[nodiscard]] bool is_stuck() const noexcept {
    const std::int32_t not_wakers = has_handle_.load(std::memory_order_relaxed) ? 2 : 1;
    return is_idle() && remote_.is_last(local_references_ - not_wakers);
  }
  /// On its way from one worker to another: no executor has it yet.
  [[nodiscard]] bool is_offered() const noexcept { return !is_linked(); }
  /// Whether this thread is inside run() of the task's executor.
  [[nodiscard]] bool owned_here() const noexcept;

 private:
  friend class Executor;
  friend class TaskQueue;
  friend class TaskWaker;

  std::atomic<Executor*> executor_;  // empty for an orphan; else the same from its first poll on
  Task* next_scheduled_ = nullptr;
  RemoteState remote_;
  std::int32_t local_references_ = 1;  // the executor's own, until the future is gone
  TaskState state_;
  Stuck reported_stuck_ = Stuck::no;

 protected:
  std::atomic<bool> has_handle_{false};  // one of the references is a join handle's
};
static_assert(sizeof(Task) <= 64, "one cache line; a sleeping task pays for this");

/// The tasks that wait to be polled, first in, first out.
class TaskQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push(Task& task) noexcept {
    task.next_scheduled_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_scheduled_) = &task;
    last_ = &task;
  }
  /// nullptr: empty.
  Task* pop() noexcept {
    Task* const task = first_;
    if (task != nullptr) first_ = task->next_scheduled_;
    return task;
  }

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

/// What wakers do to a task: on the owner's thread at once, with plain state; on others by post.
class TaskWaker {
 public:
  static void clone(Wakeable& target) noexcept;
  static void wake(Wakeable& target) noexcept;
  static void wake_by_ref(Wakeable& target) noexcept;
  static void drop(Wakeable& target) noexcept;
  static void cancel(Task& task) noexcept;
  static void deliver(Posted& posted) noexcept;

 private:
  static void fulfil(RemoteState::Duty duty, Task& task) noexcept;
};

/// A task of nobody's interest but its own: its output is dropped.
template <Future F>
class DetachedTask : public Task {
 public:
  template <class Make>
  DetachedTask(Executor& executor, Make& make) : Task{table<Make>, executor}, future_(make()) {}
  ~DetachedTask() {}  // drop_future has been there before

 private:
  static DetachedTask& self(Task& task) noexcept { return static_cast<DetachedTask&>(task); }

  /// An exception that leaves the future has nowhere to go: noexcept ends the program.
  static bool poll(Task& task) noexcept {
    const BorrowedWaker waker{task};
    Context context{waker.waker()};
    return self(task).future_.poll(context).is_ready();
  }
  static void drop_future(Task& task) noexcept { self(task).future_.~F(); }
  static void free(Task& task) noexcept { delete &self(task); }

  template <class Make>
  static constexpr TaskOperations table{
      {{&TaskWaker::clone, &TaskWaker::wake, &TaskWaker::wake_by_ref, &TaskWaker::drop},
       &TaskWaker::deliver},
      &DetachedTask::poll,
      &DetachedTask::drop_future,
      &DetachedTask::free,
      task_name<F, Make>()};

  union {
    F future_;
  };
};

}  // namespace stackless
