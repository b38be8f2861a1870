// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

#include "tests/harness/misbehaving.hpp"

// A test of the runner starts this program again as a subject.
int main(int argc, char** argv) {
  if (harness::is_subject(argc, argv)) {
    return harness::run_subject(argc, argv, harness::misbehaving_subjects());
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
