// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "harness/workloads/burst.hpp"
#include "io/clock.hpp"

namespace harness {

/// Tasks that work side by side, and the time from the spawning of the first to the end of the
/// last. Played again and again, by one worker and by several.
class Team {
 public:
  struct Seat {
    std::uint64_t number = 0;
    std::uint64_t expected = 1;
    std::uint64_t result = 0;
  };

  Team(std::size_t tasks, std::chrono::nanoseconds all_bursts)
      : seats_(tasks), steps_{steps_for(all_bursts / static_cast<long>(tasks))} {
    for (std::size_t i = 0; i != tasks; ++i) seats_[i].number = i;
  }

  [[nodiscard]] std::deque<Seat>& seats() noexcept { return seats_; }

  /// Whoever spawns all others, before the first.
  void begin() noexcept {
    for (Seat& seat : seats_) seat.result = 0;
    left_.store(seats_.size(), std::memory_order_relaxed);
    began_ = io::Clock::now();
  }
  [[nodiscard]] std::uint64_t compute(const Seat& seat) const noexcept {
    return burst(seat.number + 1, steps_);
  }
  /// A member, at its end.
  void leave(Seat& seat, std::uint64_t result) noexcept {
    seat.result = result;
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended_ = io::Clock::now();
  }
  /// How long all of them took, in nanoseconds.
  [[nodiscard]] double took() const noexcept { return nanoseconds(ended_ - began_); }
  /// The same work without any task, on the calling thread; from now on its results are expected.
  double compute_alone() noexcept {
    const io::TimePoint began = io::Clock::now();
    for (Seat& seat : seats_) seat.expected = compute(seat);
    return nanoseconds(io::Clock::now() - began);
  }
  /// Somebody whose result is not the expected one.
  [[nodiscard]] std::optional<std::uint64_t> failed() const {
    for (const Seat& seat : seats_) {
      if (seat.result != seat.expected) return seat.number;
    }
    return std::nullopt;
  }

 private:
  static double nanoseconds(io::Duration span) noexcept {
    return std::chrono::duration<double, std::nano>{span}.count();
  }

  std::deque<Seat> seats_;
  std::uint64_t steps_;
  std::atomic<std::size_t> left_{0};
  io::TimePoint began_;
  io::TimePoint ended_;
};

}  // namespace harness
