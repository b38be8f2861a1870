// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `cancel/peer-heap/what:timer/tasks:N`: a binary heap in place of the wheel.
/// `cancel/floor-epoll/what:read/tasks:N`: a registered socket taken back and closed.
std::vector<Subject> cancel_floor_subjects();

}  // namespace harness
