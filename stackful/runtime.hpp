// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <system_error>
#include <utility>

#include "stackful/options.hpp"
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
    Scheduler& worker = *crew_.workers[next_worker()];
    // Outside of run() nobody else uses the worker's own stacks.
    Scheduler* const current = Scheduler::current();
    Scheduler& from = current == nullptr ? worker : here();
    return from.spawn_on(worker, std::forward<Callable>(body));
  }

  /// The calling thread is the first worker, the others get threads of their own. Returns when
  /// every task has ended and they have too. Throws std::system_error when a thread cannot be had,
  /// and then has run nothing.
  void run();

  /// The scheduler of the calling worker; the first one for everybody else.
  [[nodiscard]] Scheduler& here() noexcept;
  [[nodiscard]] io::Reactor& reactor() noexcept { return here().reactor(); }
  /// Tasks that have not ended.
  [[nodiscard]] std::size_t live_tasks() const noexcept {
    return crew_.workers.front()->live_tasks();
  }
  [[nodiscard]] std::size_t workers() const noexcept { return crew_.workers.size(); }
  [[nodiscard]] const Scheduler& worker(std::size_t index) const noexcept {
    return *crew_.workers[index];
  }

 private:
  std::size_t next_worker() noexcept;

  Crew crew_;
  std::atomic<std::size_t> dealt_{0};
};

}  // namespace stackful
