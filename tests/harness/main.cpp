// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

#include "tests/harness/misbehaving.hpp"
#include "tests/harness/mortal_servers.hpp"

// A test of the runner or of a pair starts this program again as a subject.
int main(int argc, char** argv) {
  if (harness::is_subject(argc, argv)) {
    auto subjects = harness::misbehaving_subjects();
    for (auto& server : harness::mortal_servers()) subjects.push_back(std::move(server));
    return harness::run_subject(argc, argv, subjects);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
