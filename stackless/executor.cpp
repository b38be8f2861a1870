// SPDX-License-Identifier: BSL-1.0
#include "stackless/executor.hpp"

#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "stackless/fault.hpp"

namespace stackless {

void report_stuck(const TaskName& task, Stuck how) {
  std::fprintf(stderr, "stackless: a task is stuck, %s: %.*s, spawned by %.*s\n",
               how == Stuck::for_good ? "with nobody to wake it" : "while nothing happens",
               static_cast<int>(task.future.size()), task.future.data(),
               static_cast<int>(task.spawner.size()), task.spawner.data());
}

Executor::Executor(Options options) : options_{options} {
  if (options.workers != 1) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                            "stackless: only one worker"};
  }
  if (options.watchdog > io::Duration::zero()) next_watch_ = io::Clock::now() + options.watchdog;
}

Executor::~Executor() {
  close();
  while (posting_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void Executor::close() noexcept {
  const Entered entered{*this};
  closing_ = true;
  while (live_.is_linked()) cancel(static_cast<Task&>(*live_.next));
  while (Task* const task = scheduled_.pop()) release(*task, 1);
  while (ended_.is_linked()) abandon(static_cast<Task&>(*ended_.next));
}

Executor& Executor::current() {
  if (current_ == nullptr) fault("there is no current executor: not inside run()");
  return *current_;
}

void Executor::enrol(Task& task) noexcept {
  task.executor_.store(this, std::memory_order_relaxed);
  task.link_before(live_);
  ++live_tasks_;
}

void Executor::run() {
  const Entered entered{*this};
  stop_.store(false, std::memory_order_relaxed);
  while (has_work()) {
    poll_some();
    inbox_.deliver();
    if (!scheduled_.empty()) {
      reactor_.look();
      watch(Stuck::for_good);
    } else if (has_work()) {
      wait();
    }
  }
}

/// As soon as stop_ is true, run() may return and its caller destroy the executor.
void Executor::stop() noexcept {
  posting_.fetch_add(1, std::memory_order_acquire);
  stop_.store(true, std::memory_order_release);
  reactor_.wake();
  posting_.fetch_sub(1, std::memory_order_release);
}

/// Most tasks end with no waker left, so this one keeps its place among the living until it is
/// known whether one does. In no list at all it would look like one on its way to a worker.
void Executor::end(Task& task) noexcept {
  drop_future(task);
  if (--task.local_references_ <= 0 && task.remote_.is_last(task.local_references_)) {
    return free(task);
  }
  task.unlink();
  task.link_before(ended_);
}

void Executor::poll_some() noexcept {
  for (unsigned polls = 0; polls != io::poll_budget; ++polls) {
    Task* const task = scheduled_.pop();
    if (task == nullptr) return;
    poll(*task);
  }
}

void Executor::wait() {
  const bool watched = next_watch_ != io::never;
  const io::TimePoint deadline = watched ? io::Clock::now() + options_.watchdog : io::never;
  const bool nothing_happened = inbox_.park() && reactor_.turn(deadline) == 0;
  inbox_.deliver();
  const bool silent = watched && nothing_happened && scheduled_.empty() &&
                      reactor_.awaits_nothing() && io::Clock::now() >= deadline;
  watch(silent ? Stuck::in_silence : Stuck::for_good);
}

/// Looks if there is a watchdog and its time has come.
void Executor::watch(Stuck how) {
  if (next_watch_ == io::never) [[likely]] {
    return;
  }
  const io::TimePoint now = io::Clock::now();
  if (now < next_watch_) return;
  next_watch_ = now + options_.watchdog;
  look_for_stuck_tasks(how);
}

std::size_t Executor::look_for_stuck_tasks(Stuck how) {
  std::vector<StuckTask> found;
  for (ListLink* link = live_.next; link != &live_; link = link->next) {
    Task& task = static_cast<Task&>(*link);
    const Stuck otherwise = how == Stuck::in_silence && task.is_idle() ? how : Stuck::no;
    const Stuck is = task.is_stuck() ? Stuck::for_good : otherwise;
    if (is <= task.reported_stuck_) continue;
    task.reported_stuck_ = is;
    found.push_back({task.operations().name, is});
  }
  for (const StuckTask& task : found) options_.on_stuck(task.name, task.how);
  return found.size();
}

void Executor::cancel(Task& task) noexcept {
  const Phase before = task.state_.cancel();
  if (before == Phase::idle) end(task);
  if (before == Phase::scheduled) bury(task);
}

/// Ends the future's life. The memory stays until the last waker is gone.
void Executor::bury(Task& task) noexcept {
  task.unlink();
  task.link_before(ended_);
  drop_future(task);
}

void Executor::drop_future(Task& task) noexcept {
  --live_tasks_;
  task.operations().drop_future(task);
}

/// The last waker may be another thread's.
void Executor::free_unless_kept(Task& task) noexcept {
  if (task.remote_.is_last(task.local_references_)) free(task);
}

void Executor::free(Task& task) noexcept {
  task.unlink();
  task.operations().free(task);
}

/// Leaves an ended task to the wakers that still keep it.
void Executor::abandon(Task& task) noexcept {
  const std::int32_t references = task.local_references_ + 1;  // ours, until it is let go of below
  if (!task.remote_.orphan(references)) return inbox_.deliver();
  task.unlink();
  task.executor_.store(nullptr, std::memory_order_relaxed);
  if (task.remote_.drop() == RemoteState::Duty::free) task.operations().free(task);
}

void Executor::post(Posted& posted) noexcept {
  posting_.fetch_add(1, std::memory_order_acquire);
  if (inbox_.post(posted)) reactor_.wake();
  posting_.fetch_sub(1, std::memory_order_release);
}

void Executor::deliver_posts() noexcept {
  const Entered entered{*this};  // the owner may be outside run()
  inbox_.deliver();
}

}  // namespace stackless
