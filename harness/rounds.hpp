// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Times rounds that need something put away or made ready between them, which is not to be timed
/// (Batches knows no pauses). The first round warms up and is forgotten. One thread.
///
///     Rounds rounds{port.measure_for()};
///     do { prepare(); rounds.begin(); work(); rounds.end(operations); clear(); }
///     while (!rounds.enough());
///     rounds.report(port, "create");
class Rounds {
 public:
  /// Fewer than this, the warming one included, are never enough.
  static constexpr std::size_t fewest = 6;

  explicit Rounds(std::chrono::nanoseconds measure_for) noexcept;

  void begin() noexcept;
  void end(std::uint64_t operations);
  /// The time is used up, pauses included.
  [[nodiscard]] bool enough() const noexcept;

  /// Values of the rounds that count, in nanoseconds an operation.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  /// Sends `ns_per_UNIT`; `cpu_ns_per_UNIT`, what of it the process had a CPU for; and `cpu_share`,
  /// the same over all rounds.
  void report(Port& port, std::string_view unit) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::nanoseconds measure_for_;
  Clock::time_point first_began_;
  Clock::time_point began_;
  Clock::time_point share_began_;
  std::chrono::nanoseconds cpu_began_{};
  std::chrono::nanoseconds elapsed_{};
  std::chrono::nanoseconds cpu_{};
  bool warm_ = false;
  std::vector<double> values_;
  std::vector<double> cpu_values_;
};

}  // namespace harness
