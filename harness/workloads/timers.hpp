// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `timers/B/tasks:N/period_us:P`: N tasks, each woken once a period by an absolute schedule.
/// `timers/B/tasks:N/oneshot_us:W`: N tasks, each woken once within the window.
std::vector<Subject> timers_subjects();

}  // namespace harness
