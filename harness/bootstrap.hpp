// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>

namespace harness {

/// A median and its interval, which holds the true one in about 95 % of the cases.
struct Interval {
  double low;
  double middle;
  double high;
};

/// The median of independent values with its percentile bootstrap interval (Efron, 1979); the same
/// values always give the same interval. All NaN without values. For a pair's many rounds; blocks
/// are too few for it, so scripts/yardstack/stats.py takes order statistics, whose coverage is
/// exact.
Interval bootstrap_median(std::span<const double> values);

}  // namespace harness
