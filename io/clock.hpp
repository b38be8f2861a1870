// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

namespace io {

/// CLOCK_MONOTONIC: the one clock that deadlines, lateness and latency are told in.
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = std::chrono::nanoseconds;

/// A deadline that never comes.
inline constexpr TimePoint never = TimePoint::max();

}  // namespace io
