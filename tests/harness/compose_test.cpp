// SPDX-License-Identifier: BSL-1.0
// Every workload of bench-compose, for every contender that has it, in this process.
#include "harness/workloads/compose.hpp"

#include <gtest/gtest.h>
#include <string>

#include "harness/allocations.hpp"
#include "harness/floors/compose.hpp"
#include "harness/programs/programs.hpp"
#include "harness/workloads/composition.hpp"
#include "harness/workloads/walk.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

using Results = std::map<std::string, double>;

Results run(const std::string& name) {
  return run_cell(harness::compose_program(), name);
}

#define SKIP_UNDER_SANITIZERS() \
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer's allocator is not counted"

TEST(Compose, FuturesOfAnyDepthAllocateNothing) {
  SKIP_UNDER_SANITIZERS();
  for (const unsigned depth : harness::depths) {
    const auto results = run("compose/futures/depth:" + std::to_string(depth));
    EXPECT_EQ(results.at("allocs_per_op"), 0);
    EXPECT_EQ(results.at("bytes_per_op"), 0);
    EXPECT_EQ(results.contains("ns_per_level"), depth > 1);
  }
}

TEST(Compose, CoroutinesAllocateAFrameALevelAtMost) {
  SKIP_UNDER_SANITIZERS();
  const auto results = run("compose/coroutines/depth:8");
  EXPECT_LE(results.at("allocs_per_op"), 8);
#if !defined(__clang__)
  EXPECT_EQ(results.at("allocs_per_op"), 8) << "GCC elides no frame";
#endif
}

TEST(Compose, CallbacksAllocateAContinuationALevel) {
  SKIP_UNDER_SANITIZERS();
  const double deep = run("compose/callbacks/depth:8").at("allocs_per_op");
  const double deeper = run("compose/callbacks/depth:16").at("allocs_per_op");
  EXPECT_EQ(deeper - deep, 8);
}

TEST(Compose, FloorsDoTheSameWork) {
  for (const auto& floor : harness::compose_floor_subjects()) {
    const auto results = run("compose/" + std::string{floor.contender} + "/depth:8");
    EXPECT_GT(results.at("ns_per_op"), 0);
  }
}

TEST(Compose, PushActsBeforeAnybodyPolls) {
  EXPECT_EQ(run("compose/futures/before:poll").at("effects_before_poll"), 0);
  EXPECT_EQ(run("compose/coroutines/before:poll").at("effects_before_poll"), 0);
  EXPECT_EQ(run("compose/callbacks/before:poll").at("effects_before_poll"), 1);
}

class ComposeContender : public testing::TestWithParam<std::string> {
 protected:
  static Results run(const std::string& parameter) {
    return ::run("compose/" + GetParam() + "/" + parameter);
  }
};

TEST_P(ComposeContender, GoesOnWhereItWasSuspended) {
  for (const auto* suspensions : {"1", "10", "1000"}) {
    const auto results = run(std::string{"suspensions:"} + suspensions);
    EXPECT_EQ(results.at("steps_per_suspension"), 1);
  }
}

/// A body that goes on from its first line whenever it is resumed: what it has counted is gone.
class Forgetful : stackless::Immovable {
 public:
  using Output = void;

  explicit Forgetful(harness::Side<stackless::Backend>& side) noexcept : side_{&side} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    side_->begin();
    for (std::uint64_t waits = 1; side_->mine.poll_wait(context).is_ready(); ++waits) {
      if (!side_->step(waits)) return stackless::ready;
    }
    return stackless::pending;
  }

 private:
  harness::Side<stackless::Backend>* side_;
};

TEST(Compose, ABodyThatBeginsAgainIsFoundOut) {
  constexpr std::uint64_t suspensions = 10;
  stackless::Backend::Runtime runtime{stackless::Backend::Options{}};
  harness::Walkers<stackless::Backend> walkers{runtime};
  EXPECT_TRUE(walkers.walk(runtime, suspensions, [&](auto& side) {
    return runtime.spawn([&] { return Forgetful{side}; });
  }));
  EXPECT_GT(walkers.steps(), 2 * suspensions) << "more than a step a suspension";
}

TEST_P(ComposeContender, SuspendsWithoutAllocatingUnlessItPushes) {
  SKIP_UNDER_SANITIZERS();
  const double allocations = run("suspensions:1000").at("allocs_per_suspension");
  if (GetParam() == "callbacks") {
    EXPECT_GE(allocations, 1);
  } else {
    EXPECT_LE(allocations, 0.01) << "the task itself";
  }
}

TEST_P(ComposeContender, WaitsForTheLongestAtLeast) {
  EXPECT_GE(run("waits:join").at("elapsed_vs_longest"), 1);
  EXPECT_GE(run("waits:sequence").at("elapsed_vs_sum"), 1);
}

INSTANTIATE_TEST_SUITE_P(Composers, ComposeContender,
                         testing::Values("futures", "coroutines", "callbacks"),
                         [](const auto& name) { return name.param; });

TEST(Compose, AMovedStateReadsWhereItWas) {
  EXPECT_EQ(run("compose/futures/place:kept").at("stale_reads_per_op"), 0);
  EXPECT_EQ(run("compose/futures/place:moved").at("stale_reads_per_op"), 1);
}

TEST(Compose, AnArenaIsEnough) {
  const auto results = run("compose/futures/memory:arena");
  EXPECT_EQ(results.at("heap_bytes_grown"), 0);
  if (harness::allocations()) {
    EXPECT_EQ(results.at("allocator_calls"), 0);
  }
}

TEST(Compose, RowsThatMeanNothingAreObjectedTo) {
  const auto program = harness::compose_program();
  const auto objection = [&](const char* name) {
    return program.questions.front().objection(*harness::Cell::parse(name));
  };
  EXPECT_EQ(objection("compose/floor-calls/depth:8"), "");
  EXPECT_EQ(objection("compose/callbacks/waits:join"), "");
  EXPECT_NE(objection("compose/futures"), "");
  EXPECT_NE(objection("compose/futures/depth:8/before:poll"), "");
  EXPECT_NE(objection("compose/floor-loop/before:poll"), "");
  EXPECT_NE(objection("compose/callbacks/place:moved"), "");
}

}  // namespace
