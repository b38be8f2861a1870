// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace stackless {

/// Where a task stands between being spawned and being gone.
enum class Phase : std::uint8_t { idle, scheduled, running, running_woken, complete, cancelled };

/// The state of a task, as its owner's thread sees it: one plain byte. Other threads do not touch
/// it; they post (remote_state.hpp), and the owner makes the transition when it collects the post.
///
///        spawn
///          |
///          v    (1) begin              (3) end: pending
///     scheduled ----------> running ----------------------> idle
///       ^   ^                |   |                          |  |
///       |   |       (2) wake |   | (5) finish: ready        |  |
///       |   |                v   +------------> complete    |  |
///       |   |     running_woken --(5) finish------^         |  |
///       |   |                |                              |  |
///       |   +----------------+                              |  |
///       |      (4) end: pending, woken meanwhile            |  |
///       +---------------------------------------------------+  |
///                            (2) wake                          v
///     scheduled, running, running_woken, idle --(6) cancel--> cancelled --(5) finish--> complete
///
/// A wake (2) of a task that is scheduled, woken already, complete or cancelled changes nothing.
/// Cancelled while scheduled, its future is dropped at once and the run queue lets go of it later;
/// cancelled while running (by itself), its future is dropped when the poll returns: pending, and
/// it stays cancelled, or ready, and it completes after all.
class TaskState {
 public:
  /// (1) The task leaves the run queue to be polled. False: it was cancelled while it waited there.
  bool begin() noexcept {
    if (phase_ == Phase::cancelled) return false;
    phase_ = Phase::running;
    return true;
  }
  /// (2) True: the task was idle, and the caller puts it into the run queue.
  bool wake() noexcept {
    if (phase_ == Phase::idle) [[likely]] {
      phase_ = Phase::scheduled;
      return true;
    }
    if (phase_ == Phase::running) phase_ = Phase::running_woken;
    return false;
  }
  /// (3), (4) The poll returned pending. `scheduled`: the caller queues the task again;
  /// `cancelled`: the caller drops the future.
  Phase end() noexcept {
    if (phase_ == Phase::running) [[likely]] {
      return phase_ = Phase::idle;
    }
    if (phase_ == Phase::running_woken) phase_ = Phase::scheduled;
    return phase_;
  }
  /// (5) The poll returned the output.
  void finish() noexcept { phase_ = Phase::complete; }
  /// (6) Returns the phase it was cancelled in; complete and cancelled stay what they are.
  Phase cancel() noexcept {
    const Phase before = phase_;
    if (before != Phase::complete) phase_ = Phase::cancelled;
    return before;
  }

  [[nodiscard]] Phase phase() const noexcept { return phase_; }

 private:
  Phase phase_ = Phase::scheduled;
};

}  // namespace stackless
