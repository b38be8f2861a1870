// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/load/plan.hpp"
#include "harness/load/side.hpp"

namespace harness::load {

/// A plan being carried out, step by step, on one thread.
class Measurement {
 public:
  /// Throws Failure (`refused:`) when the plan cannot be carried out here.
  explicit Measurement(Plan plan);

  /// So many to each server in all, made in turns, so that neither has the better memory.
  void connect(std::uint64_t connections);
  /// Drives the servers in turns, as in the measurement, keeping nothing.
  void warm_up();
  /// One server: one slice of the whole time. Two: rounds of A B B A until the time is used, and at
  /// least Plan::least_rounds of them, so that whatever drifts does so for both.
  void measure();
  void disconnect() noexcept;

  /// The first is the plan's target, the second the one it is measured against.
  [[nodiscard]] const std::vector<std::unique_ptr<Side>>& sides() const noexcept { return sides_; }
  /// For each round, the target's server CPU time an operation over that of the other; none
  /// unless both have a process to watch.
  [[nodiscard]] const std::vector<double>& cpu_ratios() const noexcept { return cpu_ratios_; }
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  /// How often listeners have turned a connection away while connect() went on (backlog.hpp); empty
  /// where nothing is connected to through TCP. The listeners of the whole network namespace:
  /// others that are turned away in it meanwhile make a ramp doubtful that was none the worse.
  [[nodiscard]] std::optional<std::uint64_t> turned_away() const noexcept { return turned_away_; }

 private:
  void round();
  [[nodiscard]] Nanoseconds slice_length() const;

  Plan plan_;
  Pattern pattern_;
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<double> cpu_ratios_;
  std::optional<std::uint64_t> turned_away_;
};

/// Every figure of a measurement under its counter's name, those of the second server prefixed with
/// `floor_`; lists where there is one value a round. `latency_histogram` is flattened.
std::vector<std::pair<std::string, std::vector<double>>> figures(const Measurement& measurement);

/// An answer delayed by a delayed acknowledgement meeting Nagle's algorithm takes 40 ms, and next
/// to nothing else does: whether there is a plateau there, with little on either side of it.
bool has_delayed_ack_plateau(const Histogram& latency_ns);

}  // namespace harness::load
