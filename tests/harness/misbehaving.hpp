// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Subjects that behave in every way a subject can: `test/behaves`, `test/hangs`, `test/crashes`, …
std::vector<Subject> misbehaving_subjects();

}  // namespace harness
