// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "io/reactor.hpp"
#include "stackless/future.hpp"
#include "stackless/inbox.hpp"
#include "stackless/joinable_task.hpp"
#include "stackless/list_link.hpp"
#include "stackless/spawner.hpp"
#include "stackless/task.hpp"

namespace stackless {

/// Says on stderr which task is stuck, and how.
void report_stuck(const TaskName& task, Stuck how);

struct Options {
  unsigned workers = 1;  ///< threads that poll; several make a Runtime, an Executor has one
  /// Of several workers: whether one without work takes tasks from the others that have not begun.
  bool stealing = true;
  /// Every so often the executor looks for tasks that are stuck, however busy it is with others.
  /// Each is reported once a kind. 0: never. A debugging aid, off the way of a poll. What it says
  /// of silence it says of one worker: a task that waits longer than a period for a blocking job,
  /// or for a busy task of another worker, is named too; a worker with an idle listener is never
  /// silent; a mobile task is never named for silence.
  io::Duration watchdog{0};
  /// Called after the look, so it may spawn and abort; by several workers at once, if there are.
  void (*on_stuck)(const TaskName&, Stuck) = &report_stuck;
};

/// A local executor: one thread polls all its tasks, in the order in which they were woken. That
/// thread's own path takes no atomic read-modify-write; other threads reach it through one inbox.
/// Every io::poll_budget polls it empties the inbox and offers its reactor a look; it waits there
/// when no task is scheduled.
///
/// Belongs to the thread that runs it, which spawns before run() or in any task; `post` may be
/// called by any.
class Executor : public Spawner<Executor> {
 public:
  /// Throws std::system_error: invalid_argument for a number of workers it cannot have, or what the
  /// reactor throws.
  explicit Executor(Options options = {});
  /// Drops the futures of all tasks, wherever they stand. Wakers may outlive it; streams, events
  /// and sleeps that are not inside its tasks may not.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Polls until all tasks have ended, or until stop(). An exception that leaves a future ends the
  /// program.
  void run();
  /// Has run() return within io::poll_budget polls, whatever still lives: another run() goes on
  /// with it, the destructor drops it. Without effect while nobody is in run(). Any thread.
  void stop() noexcept;

  /// The executor whose run() this thread is in; a fault where there is none.
  static Executor& current();
  [[nodiscard]] bool is_current() const noexcept { return current_ == this; }

  /// Has `posted` delivered on the owner's thread, and wakes the owner if it waits. Any thread.
  void post(Posted& posted) noexcept;
  /// Owner only: delivers what other threads have posted so far.
  void deliver_posts() noexcept;

  [[nodiscard]] io::Reactor& reactor() noexcept { return reactor_; }
  /// Tasks whose future is alive.
  [[nodiscard]] std::size_t live_tasks() const noexcept { return live_tasks_; }
  /// Calls Options::on_stuck for each task not reported like that before that is stuck for good, or
  /// that is idle where `how` is in_silence; returns how many.
  std::size_t look_for_stuck_tasks(Stuck how = Stuck::for_good);

 private:
  friend Spawner;
  friend class ParallelExecutor;
  friend class Task;
  friend class TaskWaker;
  friend class Worker;
  class Entered;

  template <Future F>
  using Detached = DetachedTask<F>;
  template <Future F>
  using Joinable = JoinableTask<F>;

  void enrol(Task& task) noexcept;
  void adopt(Task& task) noexcept {
    enrol(task);
    schedule(task);
  }
  void schedule(Task& task) noexcept { scheduled_.push(task); }
  void poll_some() noexcept;
  void poll(Task& task) noexcept;
  void end(Task& task) noexcept;
  void wait();
  void watch(Stuck how);
  [[nodiscard]] bool has_work() const noexcept {
    return live_tasks_ != 0 && !stop_.load(std::memory_order_acquire);
  }
  /// Drops all futures, and spawns no more.
  void close() noexcept;
  void cancel(Task& task) noexcept;
  void bury(Task& task) noexcept;
  void drop_future(Task& task) noexcept;
  void release(Task& task, std::int32_t references) noexcept {
    task.local_references_ -= references;
    if (task.local_references_ <= 0) [[unlikely]] {
      free_unless_kept(task);
    }
  }
  void free_unless_kept(Task& task) noexcept;
  static void free(Task& task) noexcept;
  void abandon(Task& task) noexcept;

  // Constant-initialised and of a trivial type, so that reading it is one instruction.
  inline static constinit thread_local Executor* current_ = nullptr;

  const Options options_;
  TaskQueue scheduled_;
  Inbox inbox_;
  std::atomic<unsigned> posting_{0};  // threads inside post() or stop(): they may not find it gone
  std::atomic<bool> stop_{false};
  std::size_t live_tasks_ = 0;
  bool closing_ = false;
  io::TimePoint next_watch_ = io::never;  // there is a watchdog: when it looks again
  ListLink live_;                         // tasks with a future
  ListLink ended_;                        // tasks without, kept by wakers
  io::Reactor reactor_;
};

/// What ends a task is kept out of the way of what goes on.
inline void Executor::poll(Task& task) noexcept {
  if (!task.state_.begin()) [[unlikely]] {
    return release(task, 1);  // buried while it waited here
  }
  if (task.operations().poll(task)) [[unlikely]] {
    task.state_.finish();
    return end(task);
  }
  const Phase phase = task.state_.end();
  if (phase == Phase::idle) [[likely]] {
    return;
  }
  phase == Phase::scheduled ? schedule(task) : end(task);
}

/// Makes an executor this thread's current one for a while; they nest.
class Executor::Entered {
 public:
  explicit Entered(Executor& executor) noexcept : outer_{std::exchange(current_, &executor)} {}
  ~Entered() { current_ = outer_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Executor* outer_;
};

}  // namespace stackless
