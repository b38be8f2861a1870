// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "harness/subject.hpp"
#include "io/clock.hpp"

namespace harness {

/// N timers of 1 to 60 seconds, time-outs that hardly ever fire: a batch of them is taken back, and
/// set anew. Which ones is left to chance, so that each comes from the cache that holds them all.
class TimerTurnover {
 public:
  TimerTurnover(Port& port, std::size_t timers) : port_{&port}, order_(timers), deadlines_(timers) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::shuffle(order_.begin(), order_.end(), random_);
    const io::TimePoint now = io::Clock::now();
    std::uniform_int_distribution<std::int64_t> span{1'000'000'000, 60'000'000'000};
    for (auto& deadline : deadlines_) deadline = now + std::chrono::nanoseconds{span(random_)};
    cancel_.reserve(most_batches);
    insert_.reserve(most_batches);
  }

  /// `insert(timer, deadline)` and `cancel(timer)`, by number; leaves none behind.
  template <class Insert, class Cancel>
  void run(Insert insert, Cancel cancel) {
    for (const std::size_t timer : order_) insert(timer, next_deadline());
    turn_over(insert, cancel);  // warm, and forgotten
    cancel_.clear();
    insert_.clear();
    const io::TimePoint end = io::Clock::now() + port_->measure_for();
    do {
      turn_over(insert, cancel);
    } while ((io::Clock::now() < end || cancel_.size() < fewest_batches) &&
             cancel_.size() < most_batches);
    for (const std::size_t timer : order_) cancel(timer);
  }
  void report() {
    port_->result("ns_per_cancel", cancel_);
    port_->result("ns_per_insert", insert_);
  }

 private:
  static constexpr std::size_t batch = 4096;
  static constexpr std::size_t fewest_batches = 5;
  static constexpr std::size_t most_batches = 4096;

  template <class Insert, class Cancel>
  void turn_over(Insert insert, Cancel cancel) {
    const std::size_t count = std::min(batch, order_.size());
    if (next_ + count > order_.size()) next_ = 0;
    const auto began = io::Clock::now();
    for (std::size_t i = next_; i != next_ + count; ++i) cancel(order_[i]);
    const auto between = io::Clock::now();
    for (std::size_t i = next_; i != next_ + count; ++i) insert(order_[i], next_deadline());
    const auto ended = io::Clock::now();
    next_ += count;
    cancel_.push_back(each(between - began, count));
    insert_.push_back(each(ended - between, count));
  }
  static double each(std::chrono::duration<double, std::nano> all, std::size_t count) {
    return all.count() / static_cast<double>(count);
  }
  /// Any of them; read in order, so that this costs next to nothing.
  io::TimePoint next_deadline() noexcept {
    if (next_of_deadlines_ == deadlines_.size()) next_of_deadlines_ = 0;
    return deadlines_[next_of_deadlines_++];
  }

  Port* port_;
  std::mt19937_64 random_{2026};
  std::vector<std::size_t> order_;
  std::vector<io::TimePoint> deadlines_;
  std::size_t next_ = 0;
  std::size_t next_of_deadlines_ = 0;
  std::vector<double> cancel_;
  std::vector<double> insert_;
};

}  // namespace harness
