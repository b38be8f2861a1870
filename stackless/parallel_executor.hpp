// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

#include "stackless/executor.hpp"
#include "stackless/future.hpp"
#include "stackless/list_link.hpp"
#include "stackless/mobile_task.hpp"
#include "stackless/spawner.hpp"

namespace stackless {

class Worker;

/// Tasks that were woken outside the workers, or did not fit a worker's ring: delivered, they are
/// polled by the worker that does so. Any thread.
class Injector {
 public:
  void push(Posted& task) noexcept;
  /// nullptr: empty.
  Posted* pop() noexcept;
  [[nodiscard]] bool empty() const noexcept { return size_.load(std::memory_order_seq_cst) == 0; }

 private:
  std::mutex mutex_;
  Posted* first_ = nullptr;
  Posted* last_ = nullptr;
  std::atomic<std::size_t> size_{0};
};

struct ParallelOptions {
  unsigned workers = 2;  ///< at most 64
  bool stealing = true;
  /// How often a worker without work searches the others' rings before it parks.
  unsigned search_rounds = 32;
  Options local{};  ///< of each worker's local executor
};

/// An executor of several workers. Its tasks are mobile: each poll may be on another worker, so
/// they await what may be woken and dropped anywhere (semaphores, channels and notifications with a
/// lock, join handles, `yield`), not what belongs to one thread (events, streams, sleeps: a fault).
/// Each worker has a local executor as well, with a reactor of its own. What awaits events, streams
/// and sleeps is spawned pinned: it may be stolen until it begins, and stays where it did; or right
/// on the worker, by `Executor::current()`.
///
/// A worker runs its own ring, first in, first out; then what was woken from outside; then it
/// steals half of another's ring. Finding nothing it searches for a while, then parks in its
/// reactor.
///
/// Any thread spawns; any task on any executor may join.
class ParallelExecutor : public Spawner<ParallelExecutor> {
 public:
  /// Throws std::system_error: invalid_argument, or what a reactor throws.
  explicit ParallelExecutor(ParallelOptions options = {});
  /// Drops the futures of all tasks. Wakers and handles may outlive it.
  ~ParallelExecutor();
  ParallelExecutor(const ParallelExecutor&) = delete;
  ParallelExecutor& operator=(const ParallelExecutor&) = delete;

  /// Like spawn: a task that begins on whichever worker takes it first,
  /// and belongs to that worker's local executor from then on. Without stealing a worker keeps what
  /// it has spawned.
  template <FutureFactory Make>
  std::error_code spawn_pinned(Make&& make) {
    if (closing_) return std::make_error_code(std::errc::operation_canceled);
    std::error_code error;
    Task* const task = create_task<DetachedTask<FutureOf<Make>>>(here(), false, make, error);
    if (task != nullptr) offer(*task);
    return error;
  }

  /// The local executor of the calling worker; the first one for everybody else.
  [[nodiscard]] Executor& here() noexcept;

  /// Makes the calling thread a worker, and starts the others; returns when all tasks have ended,
  /// those on the workers' local executors included, or after stop(). Throws std::system_error when
  /// a thread cannot be had.
  void run();
  /// Has run() return soon, whatever still lives. Any thread.
  void stop() noexcept;

  /// Tasks whose future is alive, but for those on local executors. Any thread; a glance.
  [[nodiscard]] std::size_t live_tasks() const noexcept {
    return live_.load(std::memory_order_relaxed);
  }
  /// The same on the local executors, while no worker runs.
  [[nodiscard]] std::size_t live_local_tasks() const noexcept;
  /// Calls Options::on_stuck for each mobile task that is stuck for good and was not reported
  /// before; returns how many. With a watchdog of the local executors one of the workers does so as
  /// often as each of those. Any thread.
  std::size_t look_for_stuck_tasks();
  /// Tasks that have been taken from another worker's ring so far. Any thread; a glance.
  [[nodiscard]] std::uint64_t steals() const noexcept;

 private:
  friend Spawner;
  friend class MobileTask;
  friend class Worker;

  template <Future F>
  using Detached = MobileTaskOf<F>;
  template <Future F>
  using Joinable = MobileTaskOf<F>;

  /// Part of the list of all tasks, so that workers that spawn do not meet at one lock.
  struct Shard {
    std::mutex mutex;
    ListLink tasks;
  };

  void adopt(MobileTask& task) noexcept;
  void offer(Task& task) noexcept;
  void schedule(Posted& task) noexcept;
  /// The worker that calls; nullptr for everybody else.
  [[nodiscard]] Worker* calling_worker() const noexcept;
  void bury(MobileTask& task) noexcept;

  [[nodiscard]] bool is_over() const noexcept {
    return stop_.load(std::memory_order_acquire) || alive_.load(std::memory_order_acquire) == 0;
  }
  void wake_a_worker() noexcept;
  void wake_all() noexcept;
  /// One of those that alive_ counts is no more.
  void end_of_life() noexcept;
  void cancel_all() noexcept;
  void watch();
  Posted* take_queued() noexcept;

  const ParallelOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Shard>> shards_;
  Injector injector_;
  std::atomic<std::size_t> live_{0};
  std::atomic<std::size_t> alive_{0};     // the same, and workers whose local executor has any
  std::atomic<std::uint64_t> parked_{0};  // a bit a worker
  std::atomic<unsigned> searching_{0};
  std::atomic<unsigned> posting_{0};  // threads from outside that may not find the executor gone
  std::atomic<bool> stop_{false};
  std::atomic<io::TimePoint> next_watch_{io::never};  // there is a watchdog: when it looks again
  bool closing_ = false;
};

}  // namespace stackless
