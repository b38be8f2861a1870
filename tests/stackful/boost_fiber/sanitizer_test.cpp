// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/scheduler.hpp"
#include "tests/stackful/sanitizer_cases.hpp"

INSTANTIATE_TYPED_TEST_SUITE_P(BoostFiber, Sanitizer, stackful::boost_fiber::Scheduler);
