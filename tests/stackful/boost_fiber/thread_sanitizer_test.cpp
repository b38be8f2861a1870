// SPDX-License-Identifier: BSL-1.0
// Stands for all tests of this folder where none of them could run: skipped, aloud, as every suite
// of this name (tests/support/thread_sanitizer_skip.cpp).
#include <gtest/gtest.h>

TEST(BoostFiber, AllTestsOfTheFolder) {}
