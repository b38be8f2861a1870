// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

#include "stackful/guard.hpp"
#include "tests/harness/run.hpp"

namespace harness {
namespace {

nlohmann::json row(const std::string& cell) {
  Running running{"bench-stacks", {"--cell=" + cell, "--benchmark_format=json", "--seconds=0.01"}};
  EXPECT_EQ(running.wait(), 0) << running.err();
  return rows_of(running.out()).at(cell);
}

double number(const nlohmann::json& row, const char* counter) {
  return row.value(counter, -1.0);
}

TEST(StackMap, AShallowTaskHoldsOnePageOfAnyStack) {
  for (const auto* stack : {"16384", "65536", "1048576"}) {
    const auto found = row(std::string{"stacks/fibers/stack:"} + stack + "/depth:1");
    EXPECT_EQ(number(found, "resident_bytes_per_stack"), 4096) << found;
    EXPECT_EQ(number(found, "high_water_bytes"), 4096) << found;
    const double guard_and_colours = 2 * 4096;
    EXPECT_NEAR(number(found, "virtual_bytes_per_task"), std::stod(stack) + guard_and_colours, 64)
        << found;
    EXPECT_GT(number(found, "ns_per_create"), 0) << found;
  }
}

TEST(StackMap, ReservedBytesAreInDoubtWhereThePoolMapsManyMoreThanAreUsed) {
  const auto found = row("stacks/fibers/stack:16777216/depth:1");
  EXPECT_NE(found.value("label", "").find("virtual_bytes_per_task"), std::string::npos) << found;
}

TEST(StackMap, WhatWasTimedBesideIsNotCountedAsMemory) {
  const auto found = row("stacks/fibers/stack:1048576/depth:1");
  if (found.value("label", "").find("whole-machine") != std::string::npos) {
    GTEST_SKIP() << "no account of its own: " << found;
  }
  EXPECT_GE(number(found, "kernel_bytes_per_task"), 1900) << "eight bytes a page: " << found;
}

TEST(StackMap, ADeepTaskHoldsWhatItsCallsNeed) {
  const auto found = row("stacks/fibers/stack:65536/depth:100");
  EXPECT_GE(number(found, "resident_bytes_per_stack"), 100 * 256) << found;
  EXPECT_GE(number(found, "headroom_bytes"), 4096) << found;
}

/// What lies beneath the stacks of a row.
class EveryGuard : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "madvise" && !stackful::lightweight_guards_work()) {
      GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL (Linux 6.13)";
    }
  }
};
class EveryGuardAndNone : public EveryGuard {};

TEST_P(EveryGuardAndNone, AChainThatDoesNotFitIsRefused) {
  const auto found = row("stacks/fibers/stack:16384/depth:1000/guard:" + GetParam());
  const auto error = found.value("error_message", "");
  unsigned long reached = 0, limit = 0, asked = 0, call = 0;
  EXPECT_EQ(
      std::sscanf(error.c_str(),
                  "refused: stack_bytes reached=%lu limit=%lu (usable of stack:%lu, at call %lu)",
                  &reached, &limit, &asked, &call),
      4)
      << found;
  EXPECT_EQ(asked, 16'384U);
  EXPECT_GE(limit, asked) << "a stack is at least what was asked for";
  EXPECT_GT(reached, limit) << "both in bytes";
  EXPECT_LE(call * 256, reached);
}

TEST_P(EveryGuardAndNone, CostsTheMappingsItSays) {
  const auto found = row("stacks/fibers/stack:16384/depth:1/guard:" + GetParam());
  EXPECT_NEAR(number(found, "mappings_per_task"), GetParam() == "mprotect" ? 2 : 0, 0.1) << found;
  const auto floor = row("stacks/floor-page/stack:16384/guard:" + GetParam());
  EXPECT_GT(number(floor, "ns_per_create"), 0) << floor;
}

TEST(StackMap, ARecycledStackKeepsItsDeepPagesUnlessTheyAreTrimmed) {
  const auto kept = row("stacks/fibers/stack:65536/depth:1/use:recycled/pool:keep");
  const auto trimmed = row("stacks/fibers/stack:65536/depth:1/use:recycled/pool:trim");
  EXPECT_GE(number(kept, "resident_bytes_per_stack"), 32'768) << kept;
  EXPECT_EQ(number(trimmed, "resident_bytes_per_stack"), 4096) << trimmed;
}

TEST(StackMap, APaintedRowKnowsTheBytesUsedAndSaysNothingOfMemory) {
  const auto found = row("stacks/fibers/stack:65536/depth:10/high_water:painted");
  EXPECT_GE(number(found, "high_water_bytes"), 10 * 256) << found;
  EXPECT_LT(number(found, "high_water_bytes"), 10 * 512) << found;
  for (const auto& [counter, value] : found.items()) {
    EXPECT_EQ(counter.find("per_task"), std::string::npos) << counter;
    EXPECT_EQ(counter.find("resident"), std::string::npos) << counter;
    EXPECT_EQ(counter.find("ns_per"), std::string::npos) << counter;
  }
}

/// Of one that was told at once, by a guard.
void expect_told_by_the_guard(const nlohmann::json& found) {
  EXPECT_EQ(number(found, "told_at_once"), 1) << found;
  EXPECT_EQ(number(found, "task"), 16) << found;
  EXPECT_GT(number(found, "overflow_depth"), number(found, "survived_depth")) << found;
  EXPECT_GE(number(found, "high_water_bytes"), number(found, "stack_bytes") - 4096) << found;
  EXPECT_LE(number(found, "bytes_beyond"), 4096) << found;
}

TEST_P(EveryGuard, TellsOfAnOverflowAtOnce) {
  for (const std::string contender : {"fibers", "boost-fibers"}) {
    expect_told_by_the_guard(
        row("stacks/" + contender + "/overflow:" + GetParam() + "/stack:65536"));
  }
}

INSTANTIATE_TEST_SUITE_P(Stacks, EveryGuard, testing::Values("mprotect", "madvise"),
                         [](const auto& each) { return each.param; });
INSTANTIATE_TEST_SUITE_P(Stacks, EveryGuardAndNone, testing::Values("none", "mprotect", "madvise"),
                         [](const auto& each) { return each.param; });

TEST(StackOverflow, OfAThreadIsToldByTheOnlyGuardItHas) {
  expect_told_by_the_guard(row("stacks/threads/overflow:mprotect/stack:65536"));
  EXPECT_EQ(row("stacks/threads/overflow:madvise/stack:65536").value("error_message", ""),
            "refused: threads have no guard madvise");
}

TEST(StackOverflow, IsToldAfterwardsWhereNothingGuards) {
  for (const std::string contender : {"fibers", "boost-fibers"}) {
    const auto found = row("stacks/" + contender + "/overflow:none/stack:65536");
    EXPECT_EQ(number(found, "told_at_once"), 0) << found;
    EXPECT_GT(number(found, "bytes_beyond"), 0) << found;
    EXPECT_LE(number(found, "bytes_beyond"), 512) << "the first call beyond" << found;
    EXPECT_EQ(number(found, "overflow_depth"), number(found, "survived_depth") + 1) << found;
    EXPECT_NE(found.value("label", "").find("silent: others' bytes were written over"),
              std::string::npos)
        << found;
  }
}

TEST(StackOverflow, IsOfTheSameCallHoweverItIsTold) {
  const auto afterwards = row("stacks/fibers/overflow:none/stack:65536");
  const auto at_once = row("stacks/fibers/overflow:mprotect/stack:65536");
  EXPECT_EQ(number(afterwards, "overflow_depth"), number(at_once, "overflow_depth"));
}

class SplitStack : public testing::Test {
 protected:
  nlohmann::json split(const std::string& call) { return row_or_skip("split-stack", call); }
  nlohmann::json plain(const std::string& call) { return row_or_skip("plain-stack", call); }

 private:
  static nlohmann::json row_or_skip(const std::string& contender, const std::string& call) {
    auto found = row("stacks/" + contender + "/call:" + call);
    const auto error = found.value("error_message", "");
    if (error.starts_with("refused: no split stacks")) {
      [&] {
        GTEST_SKIP() << error;
      }();
    }
    return found;
  }
};

TEST_F(SplitStack, CrossesAnEdgeWhereItIsToldAndForForeignCode) {
  for (const auto& [call, edges] :
       {std::pair{"near", 0.0}, std::pair{"edge", 1.0}, std::pair{"foreign", 1.0}}) {
    const auto found = split(call);
    if (IsSkipped()) return;
    EXPECT_EQ(number(found, "edges_per_call"), edges) << found;
    EXPECT_GT(number(found, "ns_per_call"), 0) << found;
    const auto beside = plain(call);
    EXPECT_EQ(number(beside, "edges_per_call"), 0) << beside;
    EXPECT_GT(number(beside, "ns_per_call"), 0) << beside;
  }
}

TEST_F(SplitStack, AsksForRoomForAnythingBeforeForeignCode) {
  const auto found = split("foreign");
  if (IsSkipped()) return;
  EXPECT_GE(number(found, "reserved_bytes"), 1 << 20) << found;
}

TEST(MovedStack, LeavesRawPointersStaleAndTheFirstUseFaults) {
  const auto raw = row("stacks/moved-stack/pointers:raw");
  EXPECT_EQ(number(raw, "pointers"), 8) << raw;
  EXPECT_EQ(number(raw, "stale_pointers"), 8) << raw;
  EXPECT_EQ(number(raw, "faults_in_old_stack"), 1) << raw;
}

TEST(MovedStack, GoesOnWhereFramesLeadToEachOtherByDistance) {
  const auto relative = row("stacks/moved-stack/pointers:relative");
  EXPECT_EQ(number(relative, "stale_pointers"), 0) << relative;
  EXPECT_EQ(number(relative, "faults_in_old_stack"), 0) << relative;
}

TEST(StackRows, ThatMeanNothingAreBadUsage) {
  for (const auto* cell :
       {"stacks/fibers/depth:1", "stacks/fibers/stack:16384",
        "stacks/floor-page/stack:16384/depth:1", "stacks/fibers/stack:16384/depth:1/pool:trim",
        "stacks/threads/overflow:mprotect/stack:65536/depth:1", "stacks/split-stack/stack:16384",
        "stacks/plain-stack/call:near/stack:16384", "stacks/moved-stack/call:near"}) {
    EXPECT_EQ((Running{"bench-stacks", {std::string{"--cell="} + cell}}.wait()), 2) << cell;
  }
}

}  // namespace
}  // namespace harness
