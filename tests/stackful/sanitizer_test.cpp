// SPDX-License-Identifier: BSL-1.0
#include "stackful/scheduler.hpp"
#include "tests/stackful/sanitizer_cases.hpp"

INSTANTIATE_TYPED_TEST_SUITE_P(Fiber, Sanitizer, stackful::Scheduler);
