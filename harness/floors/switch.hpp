// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// What bench-switch is held against: loops without a runtime, timed in the same batches.
/// `floor-inline`, `floor-context`, `floor-poll` and `floor-poll-waker` take /tasks:N;
/// `floor-syscall` takes nothing; `floor-yield` is two threads on one CPU; so is `floor-futex`,
/// unless /cpus:2 sets them apart.
std::vector<Subject> switch_floor_subjects();

/// The same for bench-depth: `floor-calls` takes /levels:D.
std::vector<Subject> depth_floor_subjects();

/// The same for bench-spawn: `floor-allocate` takes /alive:N.
std::vector<Subject> spawn_floor_subjects();

}  // namespace harness
