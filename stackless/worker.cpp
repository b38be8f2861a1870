// SPDX-License-Identifier: BSL-1.0
#include "stackless/worker.hpp"

#include <utility>

#include "io/budget.hpp"
#include "io/relax.hpp"

namespace stackless {

void Worker::run() {
  const Entered entered{*this};
  while (!executor_->is_over()) {
    local_.poll_some();
    const bool polled = poll_some();
    local_.inbox_.deliver();
    count_local_tasks();
    bool busy = polled || !local_.scheduled_.empty() || !ring_.empty();
    if (!busy) {
      if (Posted* const found = search()) {
        found->deliver();
        busy = true;
      }
    }
    if (busy) {
      local_.reactor_.look();
      local_.watch(Stuck::for_good);
      executor_->watch();
    } else {
      park();
    }
  }
}

void Worker::close() noexcept {
  const Entered entered{*this};
  local_.close();
}

void Worker::count_local_tasks() noexcept {
  const bool alive = local_.live_tasks() != 0;
  if (std::exchange(counted_, alive) == alive) return;
  if (alive) {
    executor_->alive_.fetch_add(1, std::memory_order_acq_rel);
  } else {
    executor_->end_of_life();
  }
}

void Worker::push(Posted& task) noexcept {
  const bool pushed = ring_.push(task);
  if (!pushed) executor_->injector_.push(task);
  if (!pushed || executor_->options_.stealing) executor_->wake_a_worker();
}

/// Whether there was anything.
bool Worker::poll_some() noexcept {
  for (unsigned polls = 0; polls != io::poll_budget; ++polls) {
    Posted* const task = next_task(polls);
    if (task == nullptr) return polls != 0;
    task->deliver();
  }
  return true;
}

/// Now and then the others' tasks go first: a ring that is never empty must not starve them.
Posted* Worker::next_task(unsigned polls) noexcept {
  Injector& injector = executor_->injector_;
  Posted* task = polls == 0 && !injector.empty() ? injector.pop() : nullptr;
  if (task == nullptr) task = ring_.pop();
  if (task == nullptr && !injector.empty()) task = injector.pop();
  return task;
}

void Worker::poll(MobileTask& task) noexcept {
  if (task.state_.begin()) {
    if (task.operations().poll(task)) {
      task.state_.finish();
    } else {
      const Phase phase = task.state_.end();
      if (phase == Phase::idle) return;  // somebody else may have it in hand by now
      if (phase == Phase::scheduled) return push(task);
    }
  }
  count_local_tasks();  // what it has left here lives on, before it dies itself
  executor_->bury(task);
}

/// Counted among those of the local executor, it no longer counts as one that waits to begin. One
/// that nobody will poll is dropped with that executor.
void Worker::begin(Task& task) noexcept {
  local_.enrol(task);
  if (executor_->closing_) {
    local_.schedule(task);
  } else {
    local_.poll(task);
  }
  count_local_tasks();
  executor_->live_.fetch_sub(1, std::memory_order_acq_rel);
  executor_->end_of_life();
}

/// Bounded spinning: what is about to be pushed is found sooner than a parked worker is woken.
Posted* Worker::search() noexcept {
  executor_->searching_.fetch_add(1, std::memory_order_seq_cst);
  Posted* found = nullptr;
  for (unsigned round = 0; round != executor_->options_.search_rounds && found == nullptr;
       ++round) {
    if (executor_->is_over()) break;
    found = executor_->injector_.empty() ? nullptr : executor_->injector_.pop();
    if (found == nullptr && executor_->options_.stealing) found = steal_once();
    if (found == nullptr) io::relax();
  }
  executor_->searching_.fetch_sub(1, std::memory_order_seq_cst);
  if (found != nullptr) executor_->wake_a_worker();  // there may be more where this came from
  return found;
}

/// Looks at all others once, beginning anywhere.
Posted* Worker::steal_once() noexcept {
  const auto& workers = executor_->workers_;
  random_ = random_ * 1664525 + 1013904223;
  for (std::size_t i = 0; i != workers.size(); ++i) {
    Worker& victim = *workers[(random_ + i) % workers.size()];
    if (&victim == this) continue;
    if (Posted* const task = victim.ring_.steal(ring_)) {
      steals_.store(steals_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return task;
    }
  }
  return nullptr;
}

/// That it could take.
bool Worker::sees_queued_tasks() const noexcept {
  if (!ring_.empty() || !executor_->injector_.empty()) return true;
  if (!executor_->options_.stealing) return false;
  for (const auto& worker : executor_->workers_) {
    if (!worker->ring_.empty()) return true;
  }
  return false;
}

/// Says that it parks, then looks once more: whoever queues a task does it the other way round, and
/// one of both sees the other.
void Worker::park() {
  const std::uint64_t mine = std::uint64_t{1} << index_;
  executor_->parked_.fetch_or(mine, std::memory_order_seq_cst);
  if (!sees_queued_tasks() && !executor_->is_over()) local_.wait();
  executor_->parked_.fetch_and(~mine, std::memory_order_seq_cst);
  executor_->watch();
}

}  // namespace stackless
