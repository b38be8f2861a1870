// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <utility>

#include "stackless/waker.hpp"

namespace stackless {

/// The waker of one task that waits, and that any thread may wake. One task refreshes at a time.
/// After "AtomicWaker" of Rust's futures library. Freestanding.
///
///     idle ──(1) refresh──► storing ──(1) refresh──► idle
///     idle ──(2) wake─────► waking  ──(2) wake─────► idle
///     storing ──(3) wake──► storing+waking: the one who stores wakes, and makes it idle
///     waking ──(4) refresh: wakes at once, for the waker on its way may be an older one
class WakerCell {
 public:
  /// The next wake wakes this task. Look again at what is waited for after it: a wake that came
  /// before has gone to nobody.
  void refresh(const Waker& waker) noexcept {
    unsigned state = idle;
    if (!state_.compare_exchange_strong(state, storing, std::memory_order_acquire,
                                        std::memory_order_acquire)) {
      waker.wake_by_ref();  // (4)
      return;
    }
    waker_.clone_from(waker);
    state = storing;
    if (!state_.compare_exchange_strong(state, idle, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
      Waker waiting = std::move(waker_);  // (3)
      state_.exchange(idle, std::memory_order_acq_rel);
      waiting.wake();
    }
  }
  /// Any thread.
  void wake() noexcept {
    if (state_.fetch_or(waking, std::memory_order_acq_rel) != idle) return;  // (3), or another wake
    Waker waiting = std::move(waker_);
    state_.fetch_and(~waking, std::memory_order_release);
    waiting.wake();
  }
  /// Nobody waits any more. By whoever refreshes.
  void reset() noexcept {
    unsigned state = idle;
    if (!state_.compare_exchange_strong(state, storing, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      return;  // it is being woken, and empty after that
    }
    waker_.reset();
    state_.exchange(idle, std::memory_order_acq_rel);
  }

 private:
  static constexpr unsigned idle = 0;
  static constexpr unsigned storing = 1;
  static constexpr unsigned waking = 2;

  std::atomic<unsigned> state_{idle};
  Waker waker_;
};

}  // namespace stackless
