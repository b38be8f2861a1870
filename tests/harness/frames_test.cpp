// SPDX-License-Identifier: BSL-1.0
// The workloads of bench-frames, in this process.
#include "harness/workloads/frames.hpp"

#include <gtest/gtest.h>
#include <string>

#include "harness/programs/programs.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

using Results = std::map<std::string, double>;

Results run(const std::string& name) {
  return run_cell(harness::frames_program(), name);
}

TEST(Frames, AHandWrittenFutureKeepsItsLargestState) {
  EXPECT_EQ(run("frames/futures/shape:dead").at("kept_bytes"), 0);
  const auto kept = [](const char* shape) {
    return run(std::string{"frames/futures/shape:"} + shape).at("kept_bytes");
  };
  EXPECT_GE(kept("live"), 1024);
  EXPECT_LT(kept("live"), 1024 + 64);
  EXPECT_GE(kept("disjoint"), 1024);
  EXPECT_LT(kept("disjoint"), 1024 + 64);
}

TEST(Frames, ACoroutineKeepsWhatIsLiveAtLeast) {
  for (const auto* optimise : {"0", "2"}) {
    const auto kept = [&](const char* shape) {
      return run(std::string{"frames/coroutines/shape:"} + shape +
                 "/compiler:gcc/optimise:" + optimise);
    };
    EXPECT_GE(kept("dead").at("kept_bytes"), 0);
    EXPECT_GE(kept("live").at("kept_bytes"), 1024);
    const auto disjoint = kept("disjoint");
    EXPECT_GE(disjoint.at("kept_bytes"), disjoint.at("live_bytes"));
    EXPECT_LE(disjoint.at("kept_bytes"), disjoint.at("sum_bytes") + 64);
  }
}

TEST(Frames, ASuspendedTaskHoldsNoStack) {
  for (const auto* contender : {"futures", "coroutines"}) {
    const auto name = std::string{"frames/"} + contender + "/tasks:";
    const auto results = run(name + "1000");
    EXPECT_NEAR(results.at("borrowed_stack_bytes"), 32768, 64)
        << "what one needs more than another";
    EXPECT_LT(results.at("stack_bytes_per_task"), 64) << "and gives it back";
    EXPECT_FALSE(run(name + "1").contains("stack_bytes_per_task"));
  }
}

TEST(Frames, NestingIsMeasuredByLevel) {
  for (const auto* contender : {"futures", "coroutines", "floor-calls"}) {
    const auto results =
        run(std::string{"frames/"} + contender + "/nesting:8/compiler:gcc/optimise:0");
    EXPECT_GT(results.at("state_bytes"), 0) << contender;
    EXPECT_GT(results.at("state_bytes_per_level"), 0) << contender;
    EXPECT_GT(results.at("code_bytes_per_level"), 0) << contender;
    EXPECT_TRUE(results.contains("compile_cpu_ns_per_level")) << contender;
  }
}

TEST(Frames, RowsThatMeanNothingAreObjectedTo) {
  const auto program = harness::frames_program();
  const auto objection = [&](const char* name) {
    return program.questions.front().objection(*harness::Cell::parse(name));
  };
  EXPECT_EQ(objection("frames/futures/shape:dead"), "");
  EXPECT_EQ(objection("frames/coroutines/shape:dead/compiler:clang/optimise:2"), "");
  EXPECT_EQ(objection("frames/floor-calls/nesting:8/compiler:gcc/optimise:2"), "");
  EXPECT_NE(objection("frames/futures"), "");
  EXPECT_NE(objection("frames/futures/shape:dead/tasks:2"), "");
  EXPECT_NE(objection("frames/futures/shape:dead/compiler:gcc/optimise:2"), "");
  EXPECT_NE(objection("frames/coroutines/shape:dead"), "");
  EXPECT_NE(objection("frames/futures/nesting:8/compiler:gcc"), "");
  EXPECT_NE(objection("frames/floor-calls/tasks:2"), "");
}

}  // namespace
