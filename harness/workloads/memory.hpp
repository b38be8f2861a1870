// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `memory/B/state:sleeping/tasks:N`: a coordinator task spawns a quarter of N sleepers at each
/// *go*; whoever arrives last of them says `parked`; after the last *go* all wake up and end.
std::vector<Subject> sleeping_subjects();

}  // namespace harness
