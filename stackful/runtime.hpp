// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "stackful/options.hpp"
#include "stackful/overflow.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

/// The workers: one scheduler, reactor and stack pool each. Tasks are dealt to them in turn and
/// stay where they were dealt: a fiber never changes its thread, so its thread-local addresses
/// hold, and what it makes (events, streams, timers) is at home on its own worker. With
/// Options::stealing fibers that have made nothing yet can change it, when they make way.
///
/// A task that is to be served by another worker (a connection) is spawned first, and makes its
/// stream itself.
class Runtime {
 public:
  /// Throws std::system_error: invalid_argument for no worker, or what reactor and stacks throw.
  explicit Runtime(const Options& options);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// See Scheduler::spawn. Before run(), or from any of its tasks.
  template <class Callable>
  std::error_code spawn(Callable&& body) {
    Scheduler& worker = *workers_[next_worker()];
    // Outside of run() nobody else uses the worker's own stacks.
    Scheduler* const current = Scheduler::current();
    Scheduler& from = current == nullptr ? worker : here();
    return from.spawn_on(worker, std::forward<Callable>(body));
  }

  /// The calling thread is the first worker, the others get threads of their own. Returns when
  /// every task has ended and they have too. Throws std::system_error when a thread cannot be had,
  /// and what OverflowWatch throws; then it has run nothing.
  void run();

  /// Each worker is to watch its thread while it runs (overflow.hpp) for overflows of any fiber,
  /// whoever has spawned it. Before run().
  void report_overflows(OverflowWatch::Report report, void* whom) noexcept {
    report_ = report;
    whom_ = whom;
  }

  /// The scheduler of the calling worker; the first one for everybody else.
  [[nodiscard]] Scheduler& here() noexcept;
  [[nodiscard]] io::Reactor& reactor() noexcept { return here().reactor(); }
  /// Tasks that have not ended.
  [[nodiscard]] std::size_t live_tasks() const noexcept { return workers_.front()->live_tasks(); }
  [[nodiscard]] std::size_t workers() const noexcept { return workers_.size(); }
  [[nodiscard]] const Scheduler& worker(std::size_t index) const noexcept {
    return *workers_[index];
  }

 private:
  std::size_t next_worker() noexcept;
  /// The pool of each worker.
  [[nodiscard]] std::vector<const StackPool*> stack_pools() const;
  void begin_to_watch(std::optional<OverflowWatch>& watch) const;

  Crew crew_;
  std::vector<std::unique_ptr<Scheduler>> workers_;
  OverflowWatch::Report report_ = nullptr;
  void* whom_ = nullptr;
  std::atomic<std::size_t> dealt_{0};
};

}  // namespace stackful
