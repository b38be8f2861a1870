// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>
#include <fmt/format.h>

#include "harness/heap.hpp"
#include "harness/subject.hpp"

namespace harness {

/// Counts tasks that come to wait, in four quarters, and tells the parent when all of a quarter are
/// there: `parked` proves that so many are alive at once. Any task may call.
class Arrivals {
 public:
  static constexpr std::uint64_t quarters = 4;

  Arrivals(Port& port, std::uint64_t tasks) : port_{&port}, tasks_{tasks} {}

  [[nodiscard]] Port& port() noexcept { return *port_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  /// How many are to be there at the end of a quarter, counted from 1.
  [[nodiscard]] std::uint64_t expected(std::uint64_t quarter) const noexcept {
    return tasks_ * quarter / quarters;
  }

  void mark_idle() noexcept { mark("idle", 0); }
  /// A task is about to wait for the first time. True for the last of a quarter, which then calls
  /// mark_parked().
  [[nodiscard]] bool arrive() noexcept {
    const std::uint64_t now_here = arrived_.fetch_add(1) + 1;
    for (std::uint64_t quarter = 1; quarter <= quarters; ++quarter) {
      if (now_here == expected(quarter)) return true;
    }
    return false;
  }
  void mark_parked() noexcept { mark("parked", arrived_.load()); }
  void leave() noexcept { left_.fetch_add(1); }

  /// When no task is left: says what is wrong if not all have ended by themselves.
  bool all_left() noexcept {
    if (left_.load() == tasks_) return true;
    port_->failure(fmt::format("wrong: {} of {} tasks ended", left_.load(), tasks_));
    return false;
  }

 private:
  void mark(std::string_view state, std::uint64_t tasks) noexcept {
    port_->result("heap_bytes", heap_bytes());
    port_->mark(state, tasks);
  }

  Port* port_;
  std::uint64_t tasks_;
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> left_{0};
};

}  // namespace harness
