// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `spawn/B/alive:N`: while N tasks are parked, one task spawns another that only says that it ran,
/// and waits for that; one spawn is a task's whole life.
std::vector<Subject> spawn_subjects();

}  // namespace harness
