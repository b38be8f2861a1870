// SPDX-License-Identifier: BSL-1.0
#include "stackless/parallel_executor.hpp"

#include <bit>
#include <exception>
#include <thread>
#include <utility>

#include "stackless/worker.hpp"

namespace stackless {

void Injector::push(Posted& task) noexcept {
  const std::lock_guard lock{mutex_};
  task.next_posted = nullptr;
  (first_ == nullptr ? first_ : last_->next_posted) = &task;
  last_ = &task;
  size_.fetch_add(1, std::memory_order_seq_cst);
}

Posted* Injector::pop() noexcept {
  const std::lock_guard lock{mutex_};
  Posted* const task = first_;
  if (task == nullptr) return nullptr;
  first_ = task->next_posted;
  size_.fetch_sub(1, std::memory_order_seq_cst);
  return task;
}

// ---- wakers

void MobileTask::clone(Wakeable& target) noexcept {
  static_cast<MobileTask&>(target).references_.fetch_add(1, std::memory_order_relaxed);
}
void MobileTask::wake_by_ref(Wakeable& target) noexcept {
  auto& task = static_cast<MobileTask&>(target);
  if (task.state_.wake()) task.executor_->schedule(task);
}
void MobileTask::drop(Wakeable& target) noexcept {
  static_cast<MobileTask&>(target).release();
}
void MobileTask::wake(Wakeable& target) noexcept {
  wake_by_ref(target);
  drop(target);
}
void MobileTask::deliver(Posted& posted) noexcept {
  Worker::current->poll(static_cast<MobileTask&>(posted));
}
void MobileTask::cancel() noexcept {
  state_.mark_cancelled();
  wake_by_ref(*this);
}

// ---- the executor

ParallelExecutor::ParallelExecutor(ParallelOptions options) : options_{options} {
  if (options.workers == 0 || options.workers > 64) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                            "stackless: 1 to 64 workers"};
  }
  for (unsigned index = 0; index != options.workers; ++index) {
    workers_.push_back(std::make_unique<Worker>(*this, index, options_.local));
    shards_.push_back(std::make_unique<Shard>());
  }
  const io::Duration period = options.local.watchdog;
  if (period > io::Duration::zero()) next_watch_ = io::Clock::now() + period;
}

ParallelExecutor::~ParallelExecutor() {
  closing_ = true;
  cancel_all();
  for (const auto& worker : workers_) worker->close();
  while (posting_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  workers_.clear();
}

/// No worker runs: this thread does what is left of their work, in the first one's place. A task
/// that another thread is just waking is queued by that thread: wait for it.
void ParallelExecutor::cancel_all() noexcept {
  const Worker::Entered entered{*workers_.front()};
  while (live_.load(std::memory_order_acquire) != 0) {
    for (const auto& shard : shards_) {
      const std::lock_guard lock{shard->mutex};
      for (ListLink* link = shard->tasks.next; link != &shard->tasks; link = link->next) {
        auto& task = static_cast<MobileTask&>(*link);
        task.state_.mark_cancelled();
        if (task.state_.wake()) injector_.push(task);
      }
    }
    while (Posted* const task = take_queued()) task->deliver();
  }
}

Posted* ParallelExecutor::take_queued() noexcept {
  if (Posted* const task = injector_.pop()) return task;
  for (const auto& worker : workers_) {
    if (Posted* const task = worker->take_queued()) return task;
  }
  return nullptr;
}

Worker* ParallelExecutor::calling_worker() const noexcept {
  Worker* const here = Worker::current;
  return here != nullptr && &here->executor() == this ? here : nullptr;
}

Executor& ParallelExecutor::here() noexcept {
  Worker* const calling = calling_worker();
  return (calling != nullptr ? *calling : *workers_.front()).local();
}

void ParallelExecutor::adopt(MobileTask& task) noexcept {
  const Worker* const here = calling_worker();
  task.shard_ = here != nullptr ? here->index() : 0;
  {
    Shard& shard = *shards_[task.shard_];
    const std::lock_guard lock{shard.mutex};
    task.link_before(shard.tasks);
  }
  live_.fetch_add(1, std::memory_order_relaxed);
  alive_.fetch_add(1, std::memory_order_acq_rel);
  schedule(task);
}

/// For whichever worker takes it first.
void ParallelExecutor::offer(Task& task) noexcept {
  if (!options_.stealing && calling_worker() != nullptr) return here().adopt(task);
  live_.fetch_add(1, std::memory_order_relaxed);
  alive_.fetch_add(1, std::memory_order_acq_rel);
  schedule(task);
}

/// The task has just become scheduled: until it is queued, the executor does not end.
void ParallelExecutor::schedule(Posted& task) noexcept {
  if (Worker* const here = calling_worker()) return here->push(task);
  posting_.fetch_add(1, std::memory_order_acq_rel);
  injector_.push(task);
  wake_a_worker();
  posting_.fetch_sub(1, std::memory_order_acq_rel);
}

void ParallelExecutor::bury(MobileTask& task) noexcept {
  task.operations().drop_future(task);
  {
    Shard& shard = *shards_[task.shard_];
    const std::lock_guard lock{shard.mutex};
    task.unlink();
  }
  live_.fetch_sub(1, std::memory_order_acq_rel);
  task.release();
  end_of_life();
}

void ParallelExecutor::end_of_life() noexcept {
  if (alive_.fetch_sub(1, std::memory_order_acq_rel) == 1) wake_all();
}

void ParallelExecutor::wake_all() noexcept {
  for (const auto& worker : workers_) worker->wake();
}

/// One who searches already finds it, or looks once more before it parks.
void ParallelExecutor::wake_a_worker() noexcept {
  if (searching_.load(std::memory_order_seq_cst) != 0) return;
  std::uint64_t parked = parked_.load(std::memory_order_seq_cst);
  while (parked != 0) {
    const std::uint64_t first = parked & (~parked + 1);
    if (parked_.compare_exchange_weak(parked, parked & ~first, std::memory_order_seq_cst)) {
      return workers_[static_cast<std::size_t>(std::countr_zero(first))]->wake();
    }
  }
}

void ParallelExecutor::run() {
  stop_.store(false, std::memory_order_relaxed);
  std::vector<std::thread> threads;
  threads.reserve(workers_.size());
  std::exception_ptr refused;
  try {
    for (std::size_t i = 1; i != workers_.size(); ++i) {
      threads.emplace_back([this, i] { workers_[i]->run(); });
    }
    workers_.front()->run();
  } catch (...) {
    refused = std::current_exception();
    stop();
  }
  for (std::thread& thread : threads) thread.join();
  if (refused) std::rethrow_exception(refused);
}

/// As soon as stop_ is true, run() may return and its caller destroy the executor.
void ParallelExecutor::stop() noexcept {
  posting_.fetch_add(1, std::memory_order_acq_rel);
  stop_.store(true, std::memory_order_release);
  wake_all();
  posting_.fetch_sub(1, std::memory_order_acq_rel);
}

std::size_t ParallelExecutor::live_local_tasks() const noexcept {
  std::size_t sum = 0;
  for (const auto& worker : workers_) sum += worker->local().live_tasks();
  return sum;
}

/// Looks if there is a watchdog and its time has come; one worker does it for all.
void ParallelExecutor::watch() {
  io::TimePoint due = next_watch_.load(std::memory_order_relaxed);
  if (due == io::never) [[likely]] {
    return;
  }
  const io::TimePoint now = io::Clock::now();
  if (now < due) return;
  const io::TimePoint next = now + options_.local.watchdog;
  if (next_watch_.compare_exchange_strong(due, next, std::memory_order_relaxed)) {
    look_for_stuck_tasks();
  }
}

std::size_t ParallelExecutor::look_for_stuck_tasks() {
  std::vector<TaskName> found;
  for (const auto& shard : shards_) {
    const std::lock_guard lock{shard->mutex};
    for (ListLink* link = shard->tasks.next; link != &shard->tasks; link = link->next) {
      auto& task = static_cast<MobileTask&>(*link);
      if (!task.is_stuck() || std::exchange(task.reported_stuck_, true)) continue;
      found.push_back(task.operations().name);
    }
  }
  for (const TaskName& name : found) options_.local.on_stuck(name, Stuck::for_good);
  return found.size();
}

std::uint64_t ParallelExecutor::steals() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->steals();
  return sum;
}

}  // namespace stackless
