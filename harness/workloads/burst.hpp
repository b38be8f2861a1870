// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>

namespace harness {

/// Computes for so many steps: no memory, no system call. The result depends on each step
/// (Marsaglia, "Xorshift RNGs", 2003).
[[nodiscard]] std::uint64_t burst(std::uint64_t seed, std::uint64_t steps) noexcept;

/// How many steps take about so long on this CPU: the fastest of a few trials, at least 1.
[[nodiscard]] std::uint64_t steps_for(std::chrono::nanoseconds span);

}  // namespace harness
