// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "harness/process.hpp"

namespace harness {

/// The share of a pair's CPUs that others may have: with more, times are theirs as well.
inline constexpr double most_others = 0.1;

/// Who else runs on the CPUs that some processes of ours have been given, from its making on.
class Others {
 public:
  /// `ours` must be alive, and the only ones of ours on these CPUs, until share() has been asked.
  Others(std::vector<int> cpus, std::vector<const Process*> ours);
  /// The share of these CPUs that all others have had, and the host has stolen; empty when it
  /// cannot be told. Throws std::system_error when one of ours has ended.
  [[nodiscard]] std::optional<double> share() const;

 private:
  [[nodiscard]] std::optional<std::chrono::nanoseconds> used() const;

  std::vector<int> cpus_;
  std::vector<const Process*> ours_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::nanoseconds> before_;
};

}  // namespace harness
