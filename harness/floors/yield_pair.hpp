// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace harness::floors {

/// `floor-yield`: two threads on one CPU that call sched_yield. The kernel need not follow each
/// call by a switch, so a hop is a switch that was seen, not a call that was made.
class YieldPair {
 public:
  /// Keeps the calling thread, and the other, on the first CPU it may run on. Throws
  /// std::system_error.
  YieldPair();
  ~YieldPair();
  YieldPair(const YieldPair&) = delete;
  YieldPair& operator=(const YieldPair&) = delete;

  /// By the thread that made it. Returns the hops made: at least `hops`, as the kernel may grant.
  std::uint64_t pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return 2; }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return visits_[task].load(std::memory_order_relaxed);
  }
  /// Of sched_yield, by both.
  [[nodiscard]] std::uint64_t calls() const noexcept {
    return calls_[0].load(std::memory_order_relaxed) + calls_[1].load(std::memory_order_relaxed);
  }

 private:
  enum Phase : std::uint32_t { resting, yielding, over };

  void arrive(std::size_t self) noexcept;
  void accompany() noexcept;

  std::atomic<std::uint32_t> phase_{resting};
  std::atomic<std::size_t> last_seen_{1};
  std::atomic<std::uint64_t> visits_[2] = {};
  std::atomic<std::uint64_t> calls_[2] = {};
  std::thread partner_;
};

}  // namespace harness::floors
