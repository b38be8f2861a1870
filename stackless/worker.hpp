// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>

#include "stackless/executor.hpp"
#include "stackless/mobile_task.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/run_ring.hpp"

namespace stackless {

/// One thread of a ParallelExecutor.
class Worker {
 public:
  Worker(ParallelExecutor& executor, unsigned index) : executor_{&executor}, index_{index} {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// On a thread of its own, until the executor is over.
  void run();

  /// Owner only: for its own ring, or for all if that is full.
  void push(MobileTask& task) noexcept;
  /// Any thread: ends its parking.
  void wake() noexcept { local_.reactor().wake(); }
  [[nodiscard]] std::uint64_t steals() const noexcept {
    return steals_.load(std::memory_order_relaxed);
  }
  /// While no worker runs: takes what is queued.
  MobileTask* take_queued() noexcept { return ring_.pop(); }

  [[nodiscard]] ParallelExecutor& executor() const noexcept { return *executor_; }
  [[nodiscard]] unsigned index() const noexcept { return index_; }
  /// Counts the local executor among the living, or no more.
  void count_local_tasks() noexcept;

  /// The worker this thread is; nullptr elsewhere.
  inline static constinit thread_local Worker* current = nullptr;

 private:
  bool poll_some() noexcept;
  void poll(MobileTask& task) noexcept;
  MobileTask* next_task(unsigned polls) noexcept;
  MobileTask* search() noexcept;
  MobileTask* steal_once() noexcept;
  [[nodiscard]] bool sees_queued_tasks() const noexcept;
  void park();

  ParallelExecutor* executor_;
  unsigned index_;
  bool counted_ = false;
  std::uint32_t random_ = 0x9e3779b9;
  std::atomic<std::uint64_t> steals_{0};
  RunRing<MobileTask> ring_;
  Executor local_;
};

}  // namespace stackless
