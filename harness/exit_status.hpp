// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness {

// How the programs end, besides 0. Refused and doubted rows are no failures.
inline constexpr int has_failed = 1;   ///< a row, or something that could not be written
inline constexpr int usage_error = 2;  ///< a wrong flag or value, or nothing chosen
inline constexpr int environment_refused = 4;
inline constexpr int was_interrupted = 130;

}  // namespace harness
