// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/burst.hpp"

#include <algorithm>

namespace harness {

std::uint64_t burst(std::uint64_t seed, std::uint64_t steps) noexcept {
  std::uint64_t state = seed == 0 ? 1 : seed;  // zero would stay zero
  for (; steps > 0; --steps) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

std::uint64_t steps_for(std::chrono::nanoseconds span) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t tried = 200'000;
  constexpr int trials = 10;
  auto fastest = Clock::duration::max();
  std::uint64_t state = 1;
  for (int trial = 0; trial != trials; ++trial) {
    const auto began = Clock::now();
    state = burst(state, tried);
    fastest = std::min(fastest, Clock::now() - began);
  }
  const bool computed = state != 0;  // it never is; so the trials have to be made
  const double steps = static_cast<double>(tried) * std::chrono::duration<double>{span} / fastest;
  return computed ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps)) : 1;
}

}  // namespace harness
