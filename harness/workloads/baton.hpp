// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `switch/B/tasks:N`: a ring of N tasks hands one baton round, each through the room's own event;
/// one hop is one switch. `/via:yield`: the same N tasks only make way for each other. `/cpus:2`:
/// neighbours sit on two CPUs.
std::vector<Subject> baton_subjects();

}  // namespace harness
