// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>

#include "stackless/executor.hpp"
#include "stackless/parallel_executor.hpp"

namespace stackless {

/// The workers behind the front door: one local executor, or several that a ParallelExecutor keeps
/// busy. A task may be stolen until it begins; then it stays, and so does what it makes (streams,
/// sleeps): these belong to its worker. Events are for tasks of all workers.
///
/// A task that any worker may serve (a connection) is spawned first, and makes its stream itself.
class Runtime {
 public:
  /// Throws std::system_error: invalid_argument for a number of workers it cannot have, or what a
  /// reactor throws.
  explicit Runtime(const Options& options = {});

  /// See Executor::spawn, and ParallelExecutor::spawn_pinned for several workers.
  template <FutureFactory Make>
  std::error_code spawn(Make&& make) {
    return alone_ ? alone_->spawn(make) : crew_->spawn_pinned(make);
  }
  /// See Executor::spawn_joinable: a task of the calling worker, joined there.
  template <FutureFactory Make>
  JoinHandle<OutputOf<FutureOf<Make>>> spawn_joinable(Make&& make, std::error_code& error) {
    return here().spawn_joinable(make, error);
  }

  /// The calling thread is the first worker, the others get threads of their own. Returns when all
  /// tasks have ended, or after stop(). Throws std::system_error when a thread cannot be had.
  void run();
  /// See Executor::stop. Any thread.
  void stop() noexcept;

  /// The executor of the calling worker; the first one for everybody else.
  [[nodiscard]] Executor& here() noexcept { return alone_ ? *alone_ : crew_->here(); }
  [[nodiscard]] io::Reactor& reactor() noexcept { return here().reactor(); }
  /// Whether several workers meet here.
  [[nodiscard]] bool is_shared() const noexcept { return crew_.has_value(); }
  /// Tasks whose future is alive. With several workers only while none runs.
  [[nodiscard]] std::size_t live_tasks() const noexcept;
  /// Tasks that have been taken from another worker so far. Any thread; a glance.
  [[nodiscard]] std::uint64_t steals() const noexcept { return crew_ ? crew_->steals() : 0; }

 private:
  // One of the two.
  std::optional<Executor> alone_;
  std::optional<ParallelExecutor> crew_;
};

}  // namespace stackless
