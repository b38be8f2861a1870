// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/histogram.hpp"
#include "harness/resource_usage.hpp"
#include "harness/workloads/timetable.hpp"
#include "io/clock.hpp"

namespace harness {

/// Tasks that wake at set moments, while another may disturb them: how late each wakes. A moment
/// that passed while its task could not run is late like any other, none is left out. They come
/// together first, by naps, so that what making them takes is not in their lateness.
class Bystanders {
 public:
  static constexpr io::Duration period = std::chrono::milliseconds{5};

  /// A task's place; only that task touches it.
  class Seat {
   public:
    Seat(Bystanders& all, io::Duration phase) noexcept : all_{&all}, phase_{phase} {}

    /// What the task sleeps until next. Empty: it is over.
    std::optional<io::TimePoint> next() {
      if (!std::exchange(here_, true)) all_->arrive();
      const io::TimePoint now = io::Clock::now();
      if (!all_->has_opened()) return all_->nap(now);
      if (!next_) next_ = all_->from() + phase_;
      for (; *next_ <= now && *next_ < all_->until(); *next_ += period) {
        late_.record(static_cast<std::uint64_t>(io::Duration{now - *next_}.count()));
      }
      return *next_ < all_->until() ? next_ : std::nullopt;
    }
    [[nodiscard]] const Histogram& late() const noexcept { return late_; }
    [[nodiscard]] bool missed_any() const {
      const auto all =
          deadlines_between(all_->from() + phase_, period, all_->from(), all_->until());
      return late_.count() != all;
    }

   private:
    Bystanders* all_;
    io::Duration phase_;
    bool here_ = false;
    std::optional<io::TimePoint> next_;
    Histogram late_;
  };

  Bystanders(std::size_t tasks, std::chrono::nanoseconds measure_for)
      : made_{io::Clock::now()}, measure_for_{measure_for} {
    seats_.reserve(tasks);
    const auto step = period / static_cast<io::Duration::rep>(tasks);
    for (std::size_t i = 0; i != tasks; ++i) {
      seats_.emplace_back(*this, static_cast<io::Duration::rep>(i) * step);
    }
  }
  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;

  [[nodiscard]] std::vector<Seat>& seats() noexcept { return seats_; }
  /// Whether the last of them has come, so that it is known when they begin.
  [[nodiscard]] bool has_opened() const noexcept { return from_.load() != not_opened; }
  /// Once it has opened.
  [[nodiscard]] io::TimePoint from() const { return io::TimePoint{io::Duration{from_.load()}}; }
  [[nodiscard]] io::TimePoint until() const { return from() + measure_for_; }
  /// What whoever disturbs them sleeps until next. Empty: they have begun.
  [[nodiscard]] std::optional<io::TimePoint> before_begin() const {
    const io::TimePoint now = io::Clock::now();
    if (!has_opened()) return nap(now);
    return now < from() ? std::optional{from()} : std::nullopt;
  }
  [[nodiscard]] bool over() const { return has_opened() && io::Clock::now() >= until(); }
  /// What had been used when the last one came.
  [[nodiscard]] const ResourceUsage& before() const noexcept { return before_; }

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
  static constexpr io::Duration shortest_nap = std::chrono::milliseconds{20};
  static constexpr io::Duration::rep not_opened = -1;

  /// The longer it takes until all are here, the longer the naps: nobody wakes often for nothing.
  [[nodiscard]] io::TimePoint nap(io::TimePoint now) const {
    return now + std::max<io::Duration>(shortest_nap, (now - made_) / 2);
  }
  /// The last to come lets them begin when the longest nap is over, and the waking from it.
  void arrive() {
    if (here_.fetch_add(1) + 1 != seats_.size()) return;
    before_ = ResourceUsage::at_start();
    const io::TimePoint now = io::Clock::now();
    const io::TimePoint from = now + shortest_nap + (now - made_);
    from_.store(io::Duration{from.time_since_epoch()}.count());
  }

  io::TimePoint made_;
  io::Duration measure_for_;
  std::atomic<std::size_t> here_{0};
  std::atomic<io::Duration::rep> from_{not_opened};
  ResourceUsage before_;
  std::vector<Seat> seats_;
};

}  // namespace harness
