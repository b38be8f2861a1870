// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "harness/cgroup.hpp"
#include "harness/subject.hpp"
#include "io/counters.hpp"

namespace harness {

/// Times an operation that is far shorter than the clock is fine: in batches, from inside the
/// subject. The first batches find a size worth timing, warm everything up, and are forgotten.
///
///     Batches batches{port.measure_for(), 1};
///     batches.start();
///     do { for (auto rounds = batches.rounds(); rounds > 0; --rounds) operation(); }
///     while (batches.lap());
///     batches.report(port, "switch");
///
/// One thread at a time, not always the same.
class Batches {
 public:
  /// A round is the smallest piece that can be repeated, of so many operations.
  Batches(std::chrono::nanoseconds measure_for, std::uint64_t operations_per_round);

  /// The first batch begins here.
  void start() noexcept;
  /// How many rounds the batch under way has.
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  /// A batch has ended here, and the next one begins, unless the time is used up: false. The second
  /// form is for rounds whose operations have to be counted first, after the clock was read.
  bool lap() noexcept { return lap(rounds_ * operations_per_round_, Clock::now()); }
  bool lap(std::uint64_t operations, std::chrono::steady_clock::time_point now) noexcept;

  /// Values of the measured batches, in nanoseconds an operation.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }

  /// Sends `ns_per_UNIT` (the batches), `CALLS_per_UNIT` (those that io/ and the rooms count),
  /// `allocs_per_UNIT`, and, over the measured batches as a whole, `involuntary_switches` and
  /// `cpu_share`: CPU time of the process by elapsed time (used_between, harness/cgroup.hpp). Where
  /// an operation makes system calls that nobody counts, `calls` names those that are.
  void report(Port& port, std::string_view unit, std::string_view calls = "syscalls") const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Usage {
    std::uint64_t system_calls = 0;
    std::optional<std::uint64_t> allocations;
    rusage process{};
    CpuTime cpu;
  };

  void size_up(std::chrono::nanoseconds took) noexcept;
  [[nodiscard]] Usage usage() const noexcept;

  GroupClock group_clock_;
  std::chrono::nanoseconds measure_for_;
  std::chrono::nanoseconds batch_for_;
  std::uint64_t operations_per_round_;
  std::uint64_t rounds_ = 1;
  unsigned long_enough_ = 0;  ///< batches in a row
  bool measuring_ = false;
  Clock::time_point batch_began_;
  Clock::time_point measuring_began_;
  Clock::time_point ended_;
  std::uint64_t operations_ = 0;
  std::vector<double> values_;
  Usage before_;
  Usage after_;
};

}  // namespace harness
