// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "harness/workloads/arrivals.hpp"
#include "io/clock.hpp"

namespace harness {

/// Who has come to sleep, and whether it is over. Sleepers keep nothing but a reference to it.
class Dormitory {
 public:
  Dormitory(Port& port, std::uint64_t tasks)
      : arrivals_{port, tasks}, nap_{std::chrono::seconds{1 + tasks / 250'000}} {}

  [[nodiscard]] Port& port() noexcept { return arrivals_.port(); }
  void mark_idle() noexcept { arrivals_.mark_idle(); }

  /// The coordinator: how many more are to be spawned for this quarter; the time runs.
  std::uint64_t open_quarter() {
    ++quarter_;
    began_ = io::Clock::now();
    return expected() - arrivals_.expected(quarter_ - 1);
  }
  /// How many there shall be at the end of this quarter.
  [[nodiscard]] std::uint64_t expected() const noexcept { return arrivals_.expected(quarter_); }
  [[nodiscard]] bool quarter_left() const noexcept { return quarter_ < Arrivals::quarters; }
  void release() noexcept { released_.store(true); }

  /// A sleeper, when it is about to sleep for the first time.
  void arrive() {
    if (!arrivals_.arrive()) return;
    const std::chrono::duration<double, std::nano> took = io::Clock::now() - began_;
    const auto fresh = expected() - arrivals_.expected(quarter_ - 1);
    create_ns_[quarter_ - 1] = took.count() / static_cast<double>(fresh);
    arrivals_.mark_parked();
  }
  /// Sleepers look up now and then, so that they can end: seldom enough to disturb no photograph.
  [[nodiscard]] io::TimePoint next_look() const { return io::Clock::now() + nap_; }
  [[nodiscard]] bool released() const noexcept { return released_.load(std::memory_order_relaxed); }
  void leave() noexcept { arrivals_.leave(); }

  void report() {
    if (arrivals_.all_left()) port().result("create_ns_per_task", create_ns_);
  }

 private:
  Arrivals arrivals_;
  std::chrono::nanoseconds nap_;
  std::uint64_t quarter_ = 0;
  io::TimePoint began_;
  std::array<double, Arrivals::quarters> create_ns_{};
  std::atomic<bool> released_{false};
};

}  // namespace harness
