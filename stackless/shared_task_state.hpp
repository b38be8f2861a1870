// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>

#include "stackless/task_state.hpp"

namespace stackless {

/// The states of TaskState, for a task that any worker may poll and any thread may wake: every
/// transition is one atomic step. A cancellation is a mark, and its wake gets an idle task into
/// somebody's hands: whoever has the task in hand, to begin or to end its poll, drops the future.
///
///     scheduled + mark --(1) begin--> cancelled      idle + mark --(2) wake--> scheduled + mark
///     running, running_woken + mark --(3), (4) end--> cancelled
///     running, running_woken + mark --(5) finish--> complete
class SharedTaskState {
 public:
  /// (1) False: it is to be cancelled, and the caller drops the future.
  [[nodiscard]] bool begin() noexcept {
    return step([](Phase, bool marked) {
             return marked ? Phase::cancelled : Phase::running;
           }).after == Phase::running;
  }
  /// (2) True: the task was idle, and the caller queues it. A step even where nothing changes, so
  /// that the next poll sees what the waker wrote before.
  [[nodiscard]] bool wake() noexcept {
    return step([](Phase phase, bool) {
             if (phase == Phase::idle) return Phase::scheduled;
             return phase == Phase::running ? Phase::running_woken : phase;
           }).before == Phase::idle;
  }
  /// (3), (4) Pending. `scheduled`: the caller queues the task again; `cancelled`: it drops the
  /// future; `idle`: it does not touch the task any more.
  [[nodiscard]] Phase end() noexcept {
    return step([](Phase phase, bool marked) {
             if (marked) return Phase::cancelled;
             return phase == Phase::running ? Phase::idle : Phase::scheduled;
           })
        .after;
  }
  /// (5)
  void finish() noexcept {
    step([](Phase, bool) { return Phase::complete; });
  }
  /// (6) The caller wakes the task, so that somebody takes it in hand.
  void mark_cancelled() noexcept { word_.fetch_or(mark, std::memory_order_acq_rel); }
  [[nodiscard]] Phase phase() const noexcept {
    return phase_of(word_.load(std::memory_order_acquire));
  }

 private:
  static constexpr std::uint32_t mark = 8;
  struct Step {
    Phase before;
    Phase after;
  };

  static Phase phase_of(std::uint32_t word) noexcept {
    return static_cast<Phase>(word & (mark - 1));
  }

  template <class Next>
  Step step(Next next) noexcept {
    std::uint32_t word = word_.load(std::memory_order_relaxed);
    while (true) {
      const Phase after = next(phase_of(word), (word & mark) != 0);
      const std::uint32_t desired = (word & mark) | static_cast<std::uint32_t>(after);
      if (word_.compare_exchange_weak(word, desired, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
        return {phase_of(word), after};
      }
    }
  }

  std::atomic<std::uint32_t> word_{static_cast<std::uint32_t>(Phase::scheduled)};
};

}  // namespace stackless
