// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <string_view>

#include "harness/histogram.hpp"
#include "harness/subject.hpp"

namespace harness::floors {

/// Moments this far apart are looked at: a gap of the machine is felt in proportion to its length.
inline constexpr std::chrono::nanoseconds pacing_step = std::chrono::microseconds{20};

/// Spins on the clock for that long, and records how late it comes to see each moment of a regular
/// schedule: what no timer on this CPU could do better, because the machine itself was elsewhere.
Histogram spin(std::chrono::nanoseconds how_long);

/// `QUESTION/floor-pacing`.
Subject pacing(std::string_view question);

}  // namespace harness::floors
