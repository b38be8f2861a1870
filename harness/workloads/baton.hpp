// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `switch/B/tasks:N`: a ring of N tasks hands one baton round, each through the room's own event;
/// one hop is one switch. `/cpus:2`: neighbours sit on two CPUs. `/via:yield`: see below.
std::vector<Subject> baton_subjects();

/// `switch/B/tasks:N/via:yield`: N tasks only make way for each other; one yield is one switch.
void run_yield(Port& port, const Cell& cell);

}  // namespace harness
