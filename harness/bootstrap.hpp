// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>

namespace harness {

/// A median and the interval it lies in with 95 % confidence.
struct Interval {
  double low;
  double middle;
  double high;
};

/// The median of independent values with its percentile bootstrap interval (Efron, 1979); the same
/// values always give the same interval. All NaN without values.
Interval bootstrap_median(std::span<const double> values);

}  // namespace harness
