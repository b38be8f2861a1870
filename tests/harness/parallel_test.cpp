// SPDX-License-Identifier: BSL-1.0
// Workloads of bench-parallel in this process; nothing is said about how long they take.
#include <gtest/gtest.h>
#include <string>

#include "harness/programs/programs.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

auto run(const std::string& name) {
  return run_cell(harness::parallel_program(), name);
}

TEST(Parallel, BurstsGiveAllRatios) {
  for (const auto* row :
       {"threads/work:burst/workers:2/tasks:3", "fibers/work:burst/workers:2/tasks:3",
        "fibers/work:burst/workers:2/tasks:3/stealing:off", "futures/work:burst/workers:2/tasks:3",
        "coroutines/work:burst/workers:2/tasks:3/stealing:off",
        "boost-fibers/work:burst/workers:1/tasks:3"}) {
    const auto results = run(std::string{"parallel/"} + row);
    for (const auto* ratio : {"elapsed_vs_one", "elapsed_vs_alone", "speedup"}) {
      EXPECT_GT(results.at(ratio), 0) << row << ": " << ratio;
    }
  }
}

TEST(Migration, TellsWhatStealingAddsAndHowOftenFibersMove) {
  for (const auto* load : {"even", "skewed"}) {
    const auto results =
        run(std::string{"parallel/fibers/work:turns/load:"} + load + "/turns:10/tasks:8");
    EXPECT_GT(results.at("elapsed_vs_kept"), 0) << load;
    EXPECT_GE(results.at("moves_per_task"), 0) << load;
    EXPECT_LE(results.at("moves_per_task"), 10) << load << ": at most one a turn";
    EXPECT_TRUE(results.contains("added_ns_per_turn")) << load;
  }
}

TEST(Parallel, NoSleepIsShortened) {
  for (const auto* contender : {"threads", "fibers", "boost-fibers", "futures", "coroutines"}) {
    const auto results = run(std::string{"parallel/"} + contender + "/work:sleep/tasks:3");
    EXPECT_GE(results.at("elapsed_ns"), 20e6) << contender << ": it sleeps so long";
    EXPECT_GT(results.at("elapsed_vs_one"), 0) << contender;
    EXPECT_TRUE(results.contains("others_cpu_share")) << contender;
    EXPECT_FALSE(results.contains("speedup"));
  }
}

TEST(Parallel, SmallTeamsTellWhenEachBeganAndEnded) {
  for (const auto* contender : {"threads", "fibers", "boost-fibers", "futures", "coroutines"}) {
    const std::string row = std::string{"parallel/"} + contender;
    const auto sleeps = run(row + "/work:sleep/tasks:2");
    EXPECT_GE(sleeps.at("task_2_begin_ns"), sleeps.at("task_1_begin_ns")) << row;
    for (const std::string task : {"task_1", "task_2"}) {
      EXPECT_GE(sleeps.at(task + "_end_ns"), 20e6) << row;
    }
    const auto bursts = run(row + "/work:burst/workers:1/tasks:2");
    EXPECT_GT(bursts.at("task_2_end_ns"), bursts.at("task_1_begin_ns")) << row;
  }
  EXPECT_FALSE(run("parallel/futures/work:sleep/tasks:64").contains("task_1_end_ns"));
}

TEST(Parallel, KnowsWhichRowsMakeSense) {
  const auto program = harness::parallel_program();
  const auto objection = [&](const std::string& name) {
    return program.questions.front().objection(*harness::Cell::parse(name));
  };
  EXPECT_EQ(objection("parallel/futures/work:burst/workers:2/tasks:2/stealing:off"), "");
  EXPECT_NE(objection("parallel/futures/work:burst/workers:1/tasks:2/stealing:off"), "");
  EXPECT_NE(objection("parallel/threads/work:burst/workers:2/tasks:2/stealing:off"), "");
  EXPECT_NE(objection("parallel/futures/work:burst/tasks:2"), "");
  EXPECT_EQ(objection("parallel/fibers/work:turns/load:even/turns:4/tasks:2"), "");
  EXPECT_NE(objection("parallel/futures/work:turns/load:even/turns:4/tasks:2"), "");
  EXPECT_NE(objection("parallel/fibers/work:turns/turns:4/tasks:2"), "");
  EXPECT_NE(objection("parallel/fibers/work:burst/load:even/workers:2/tasks:2"), "");
  EXPECT_NE(objection("parallel/futures/work:sleep/workers:1/tasks:2"), "");
}

}  // namespace
