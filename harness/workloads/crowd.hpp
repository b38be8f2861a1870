// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "harness/batches.hpp"
#include "io/clock.hpp"

namespace harness {

/// Tasks that only make way for each other: no baton, so the order is the room's own, and a yield
/// need not be followed by a switch (the kernel's often is not). A hop is a switch that was seen,
/// as in `floor-yield`: a task's turn after another's. How many calls it took,
/// `syscalls_per_switch` says.
template <class B>
class Crowd {
 public:
  struct Seat {
    Seat(typename B::Runtime&, Crowd& in_crowd) : crowd{&in_crowd} {}

    bool stays() {
      if (crowd->last_seen_.load(std::memory_order_relaxed) != this) take_turn();
      return !crowd->over_.load(std::memory_order_relaxed);
    }
    void take_turn() {
      crowd->last_seen_.store(this, std::memory_order_relaxed);
      hops.store(hops.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (this == &crowd->seats_.front() && --crowd->rounds_left_ == 0) crowd->keep_time();
    }

    Crowd* crowd;
    std::atomic<std::uint64_t> hops{0};
    std::size_t number = 0;
  };

  Crowd(typename B::Runtime& runtime, std::size_t tasks, Batches& batches) : batches_{&batches} {
    for (std::size_t number = 0; number < tasks; ++number) {
      seats_.emplace_back(runtime, *this).number = number;
    }
  }

  [[nodiscard]] std::deque<Seat>& seats() noexcept { return seats_; }
  [[nodiscard]] std::optional<std::size_t> cheated() const noexcept {
    for (const auto& seat : seats_) {
      if (seat.hops.load() == 0) return seat.number;
    }
    return std::nullopt;
  }

 private:
  /// The first round only sees to it that all have come.
  void keep_time() {
    const auto now = io::Clock::now();
    const std::uint64_t all = total();
    if (counted_ == 0) {
      batches_->start();
    } else if (!batches_->lap(all - counted_, now)) {
      over_.store(true, std::memory_order_relaxed);
    }
    counted_ = all;
    rounds_left_ = batches_->rounds();
  }

  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& seat : seats_) sum += seat.hops.load(std::memory_order_relaxed);
    return sum;
  }

  std::deque<Seat> seats_;
  Batches* batches_;
  std::uint64_t rounds_left_ = 1;
  std::uint64_t counted_ = 0;
  std::atomic<const Seat*> last_seen_{nullptr};
  std::atomic<bool> over_{false};
};

}  // namespace harness
