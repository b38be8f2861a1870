// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `blocking/B/disturber:D/tasks:N`: N tasks that wake every 5 ms, on one worker and one CPU, and
/// one more that makes a blocking call of 10 ms every 50 ms (`call`), has a pool make it (`pool`),
/// computes in stretches of 10 ms (`hog`), or does nothing (`none`).
std::vector<Subject> blocking_subjects();

}  // namespace harness
