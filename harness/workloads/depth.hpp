// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// What the stacks of this workload are made for.
inline constexpr std::uint64_t deepest_level = 10'000;

/// `depth/B/levels:D`: two tasks make way for each other, each from the bottom of D calls: of
/// functions, of futures that poll each other, of coroutines that await each other.
std::vector<Subject> depth_subjects();

}  // namespace harness
