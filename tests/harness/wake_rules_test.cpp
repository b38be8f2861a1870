// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake_rules.hpp"

#include <gtest/gtest.h>
#include <string>

#include "harness/programs/programs.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

TEST(WakeRules, NoWakeIsLostWhoeverWakesAndWhenever) {
  for (const auto* contender : {"futures", "coroutines"}) {
    const auto results =
        run_cell(harness::wake_program(), std::string{"wake/"} + contender + "/rule:order");
    EXPECT_EQ(results.at("wakes_lost"), 0) << contender;
    EXPECT_EQ(results.at("polls_within_wakes"), 0) << contender;
    EXPECT_GT(results.at("wakes_from_sleep"), 0) << contender << ": the worker never slept";
  }
}

}  // namespace
