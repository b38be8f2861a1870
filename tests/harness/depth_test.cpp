// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/depth.hpp"

#include <gtest/gtest.h>
#include <string>

#include "harness/programs/programs.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

/// A chain that is not whole in the end is `wrong:`, which fails the test.
TEST(Depth, TheChainIsWholeAfterEveryHandOver) {
  for (const auto& subject : harness::depth_subjects()) {
    const auto name = "depth/" + std::string{subject.contender} + "/levels:";
    for (const auto* levels : {"1", "2", "100"}) {
      EXPECT_GT(run_cell(harness::depth_program(), name + levels).at("ns_per_switch"), 0) << name;
    }
  }
}

}  // namespace
