// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `parallel/B/work:burst/workers:W/tasks:N`: N tasks, all spawned by one, that only compute;
/// `/stealing:off`: they stay on the worker that has spawned them. A thread's workers are the CPUs
/// it may run on. `parallel/B/work:sleep/tasks:N`: N tasks that only sleep, on one worker.
std::vector<Subject> parallel_subjects();

}  // namespace harness
