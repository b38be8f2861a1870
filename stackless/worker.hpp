// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "stackless/executor.hpp"
#include "stackless/mobile_task.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/run_ring.hpp"

namespace stackless {

/// One thread of a ParallelExecutor.
class Worker {
 public:
  class Entered;

  Worker(ParallelExecutor& executor, unsigned index, const Options& local)
      : executor_{&executor}, index_{index}, local_{local} {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// On a thread of its own, until the executor is over.
  void run();

  /// Owner only: for its own ring, or for all if that is full.
  void push(Posted& task) noexcept;
  /// Owner only: one turn of a mobile task.
  void poll(MobileTask& task) noexcept;
  /// Owner only: the first turn of a pinned task, which belongs to this worker from now on.
  void begin(Task& task) noexcept;
  /// Any thread: ends its parking.
  void wake() noexcept { local_.reactor().wake(); }
  [[nodiscard]] std::uint64_t steals() const noexcept {
    return steals_.load(std::memory_order_relaxed);
  }
  /// While no worker runs, but all are there: drops the local tasks, whose futures may ask for any.
  void close() noexcept;
  /// While no worker runs: takes what is queued.
  Posted* take_queued() noexcept { return ring_.pop(); }

  [[nodiscard]] ParallelExecutor& executor() const noexcept { return *executor_; }
  [[nodiscard]] unsigned index() const noexcept { return index_; }
  [[nodiscard]] Executor& local() noexcept { return local_; }
  /// Counts the local executor among the living, or no more.
  void count_local_tasks() noexcept;

  /// The worker this thread is; nullptr elsewhere.
  inline static constinit thread_local Worker* current = nullptr;

 private:
  bool poll_some() noexcept;
  Posted* next_task(unsigned polls) noexcept;
  Posted* search() noexcept;
  Posted* steal_once() noexcept;
  [[nodiscard]] bool sees_queued_tasks() const noexcept;
  void park();

  ParallelExecutor* executor_;
  unsigned index_;
  bool counted_ = false;
  std::uint32_t random_ = 0x9e3779b9;
  std::atomic<std::uint64_t> steals_{0};
  RunRing<Posted> ring_;
  Executor local_;
};

/// Makes a thread a worker for a while.
class Worker::Entered {
 public:
  explicit Entered(Worker& worker) noexcept
      : local_{worker.local_}, outer_{std::exchange(current, &worker)} {}
  ~Entered() { current = outer_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Executor::Entered local_;
  Worker* outer_;
};

}  // namespace stackless
