// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "stackless/blocking_job.hpp"
#include "stackless/join_handle.hpp"

namespace stackless {

/// Threads for what blocks: a call that waits inside a poll would keep every task of its worker
/// waiting. Bounded in threads, which are started as they are needed, and in jobs that wait for
/// one. Any thread may spawn and abort.
class BlockingPool {
 public:
  struct Options {
    unsigned threads = 4;
    std::size_t queued_jobs = 1024;
  };

  explicit BlockingPool(Options options) : options_{options} {}
  BlockingPool() : BlockingPool{Options{}} {}
  /// Cancels the jobs that have not begun, and waits for those that have; they can spawn no more.
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  /// Has `work` run by a thread of the pool; its output, or what it throws, is joined by the
  /// handle. Aborted before it begins, it never does; later it cannot be stopped. On failure
  /// `error` is set and nothing has been created: resource_unavailable_try_again when the queue is
  /// full of jobs that have not been aborted, or what the system says when not even one thread can
  /// be had; not_enough_memory; operation_canceled while the pool is being destroyed.
  template <std::invocable Work>
  JoinHandle<std::invoke_result_t<Work&>> spawn_blocking(Work work, std::error_code& error) {
    using Job = WorkJob<Work>;
    Job* const job = new (std::nothrow) Job{std::move(work), queue_};
    error = job != nullptr ? std::error_code{} : std::make_error_code(std::errc::not_enough_memory);
    if (job == nullptr) return {};
    auto handle = job->handle();
    error = enqueue(*job);
    if (!error) return handle;
    job->release();
    return {};
  }

  /// Threads started so far.
  [[nodiscard]] std::size_t threads() const;

 private:
  std::error_code enqueue(BlockingJob& job);
  std::error_code start_thread();
  void serve() noexcept;
  BlockingJob* take_job();
  BlockingJob* next_job();

  const Options options_;
  const std::shared_ptr<JobQueue> queue_ = std::make_shared<JobQueue>();  // its lock: for all below
  std::condition_variable job_or_end_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace stackless
