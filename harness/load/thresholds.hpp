// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness::load {

/// From where on a report and a row distrust what the load generator says.
inline constexpr double near_saturation = 0.9;  ///< of the client's CPU
inline constexpr double on_schedule = 0.99;     ///< of the planned messages
inline constexpr double most_overtime = 0.05;   ///< of the planned time

}  // namespace harness::load
