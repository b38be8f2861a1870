// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "harness/workloads/burst.hpp"
#include "io/clock.hpp"

namespace harness {

/// Tasks that work side by side, and the time from the spawning of the first to the end of the
/// last. Played again and again, by one worker and by several.
class Team {
 public:
  /// Larger teams do not ask the clock in each task: that would be measured as theirs.
  static constexpr std::size_t most_timed = 4;

  struct Seat {
    std::uint64_t number = 0;
    std::uint64_t expected = 1;
    std::uint64_t result = 0;
    io::TimePoint began{};
    io::TimePoint ended{};
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
  /// Whether its members remember when they began and ended.
  [[nodiscard]] bool timed() const noexcept { return seats_.size() <= most_timed; }
  /// A member, at its beginning.
  void come(Seat& seat) const noexcept {
    if (timed()) seat.began = io::Clock::now();
  }
  /// And at its end.
  void leave(Seat& seat, std::uint64_t result) noexcept {
    seat.result = result;
    if (timed()) seat.ended = io::Clock::now();
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    ended_ = timed() ? seat.ended : io::Clock::now();
  }
  /// How long all of them took, in nanoseconds.
  [[nodiscard]] double took() const noexcept { return nanoseconds(ended_ - began_); }
  /// When each has begun and ended since the first was spawned, in nanoseconds, in the order of
  /// their beginning. Empty unless they are timed.
  struct Span {
    double begin;
    double end;
  };
  [[nodiscard]] std::vector<Span> timeline() const {
    std::vector<Span> spans;
    if (!timed()) return spans;
    for (const Seat& seat : seats_) {
      spans.push_back({nanoseconds(seat.began - began_), nanoseconds(seat.ended - began_)});
    }
    std::ranges::sort(spans, {}, &Span::begin);
    return spans;
  }
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
