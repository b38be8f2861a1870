// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/histogram.hpp"
#include "harness/workloads/timetable.hpp"
#include "io/clock.hpp"

namespace harness {

/// Tasks that wake at set moments, while another may disturb them: how late each wakes. A moment
/// that passed while its task could not run is late like any other, none is left out.
class Bystanders {
 public:
  static constexpr io::Duration period = std::chrono::milliseconds{5};

  /// A task's place; only that task touches it.
  class Seat {
   public:
    Seat(const Bystanders& all, io::TimePoint first) : all_{&all}, first_{first}, next_{first} {}

    /// What the task sleeps until next. Empty: it is over.
    std::optional<io::TimePoint> next() {
      const io::TimePoint now = io::Clock::now();
      for (; next_ <= now && next_ < all_->until_; next_ += period) {
        late_.record(static_cast<std::uint64_t>(io::Duration{now - next_}.count()));
      }
      return next_ < all_->until_ ? std::optional{next_} : std::nullopt;
    }
    [[nodiscard]] const Histogram& late() const noexcept { return late_; }
    [[nodiscard]] bool missed_any() const {
      return late_.count() != deadlines_between(first_, period, all_->from_, all_->until_);
    }

   private:
    const Bystanders* all_;
    io::TimePoint first_;
    io::TimePoint next_;
    Histogram late_;
  };

  /// They begin a little later, when all have come.
  Bystanders(std::size_t tasks, std::chrono::nanoseconds measure_for)
      : from_{io::Clock::now() + until_all_are_there}, until_{from_ + measure_for} {
    seats_.reserve(tasks);
    const auto step = period / static_cast<io::Duration::rep>(tasks);
    for (std::size_t i = 0; i != tasks; ++i) {
      seats_.emplace_back(*this, from_ + static_cast<io::Duration::rep>(i) * step);
    }
  }
  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;

  [[nodiscard]] std::vector<Seat>& seats() noexcept { return seats_; }
  [[nodiscard]] io::TimePoint from() const noexcept { return from_; }
  [[nodiscard]] bool over() const { return io::Clock::now() >= until_; }

  [[nodiscard]] Histogram lateness() const {
    Histogram all;
    for (const Seat& seat : seats_) all.add(seat.late());
    return all;
  }
  [[nodiscard]] bool missed_any() const {
    for (const Seat& seat : seats_) {
      if (seat.missed_any()) return true;
    }
    return false;
  }

 private:
  static constexpr io::Duration until_all_are_there = std::chrono::milliseconds{20};

  io::TimePoint from_;
  io::TimePoint until_;
  std::vector<Seat> seats_;
};

}  // namespace harness
