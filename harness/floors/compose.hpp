// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// What bench-compose is held against, at /depth:N: `floor-calls` is N plain functions, each of
/// which calls the next (what composing costs threads and fibers); `floor-loop` is the levels' work
/// alone, in a loop.
std::vector<Subject> compose_floor_subjects();

}  // namespace harness
