// SPDX-License-Identifier: BSL-1.0
// Workloads of bench-blocking in this process; nothing is said about how late anybody is.
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "harness/programs/programs.hpp"
#include "harness/workloads/bystanders.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

using namespace std::chrono_literals;

TEST(Blocking, EveryMomentIsCountedWhoeverDisturbs) {
  for (const auto* row :
       {"threads/disturber:call", "threads/disturber:hog", "fibers/disturber:call",
        "boost-fibers/disturber:hog", "futures/disturber:call", "futures/disturber:pool",
        "coroutines/disturber:pool", "coroutines/disturber:hog"}) {
    const auto results =
        run_cell(harness::blocking_program(), std::string{"blocking/"} + row + "/tasks:5");
    EXPECT_GE(results.at("disturbances"), 1) << row;
    EXPECT_TRUE(results.contains("lateness_p99_ns")) << row;
    EXPECT_TRUE(results.contains("cpu_share")) << row;
  }
}

TEST(Blocking, StandsOnAFloorWithoutTasks) {
  const auto results = run_cell(harness::blocking_program(), "blocking/floor-pacing");
  EXPECT_TRUE(results.contains("lateness_p99_ns"));
}

TEST(Blocking, OnlyWhoHasAPoolHasARowOfIt) {
  const auto program = harness::blocking_program();
  const auto objection = [&](const std::string& name) {
    return program.questions.front().objection(*harness::Cell::parse(name));
  };
  EXPECT_EQ(objection("blocking/futures/disturber:pool/tasks:1"), "");
  EXPECT_NE(objection("blocking/threads/disturber:pool/tasks:1"), "");
  EXPECT_EQ(objection("blocking/threads/disturber:hog/tasks:1"), "");
}

TEST(Bystanders, BeginWhenTheLastHasCome) {
  harness::Bystanders others{2, 20ms};
  ASSERT_TRUE(others.seats().front().next()) << "it has not begun yet";
  std::this_thread::sleep_for(50ms);  // as one who is still making the other
  EXPECT_FALSE(others.has_opened());
  EXPECT_FALSE(others.over());
  ASSERT_TRUE(others.before_begin());
  const auto last_came = io::Clock::now();
  ASSERT_TRUE(others.seats().back().next());
  ASSERT_TRUE(others.has_opened());
  EXPECT_GT(others.from(), last_came);
  for (const auto& seat : others.seats()) EXPECT_EQ(seat.late().count(), 0U);
}

TEST(Bystanders, SleepThroughNothing) {
  harness::Bystanders others{2, 20ms};
  for (auto& seat : others.seats()) {
    ASSERT_TRUE(seat.next()) << "it has not begun yet";
    EXPECT_EQ(seat.late().count(), 0U);
  }
  EXPECT_TRUE(others.missed_any());
  while (!others.over()) std::this_thread::sleep_for(1ms);  // as one who is kept from waking
  for (auto& seat : others.seats()) {
    EXPECT_FALSE(seat.next());
    EXPECT_EQ(seat.late().count(), 4U) << "a moment every 5 ms";
    EXPECT_GE(seat.late().max(), static_cast<std::uint64_t>(15'000'000));
  }
  EXPECT_FALSE(others.missed_any());
  EXPECT_EQ(others.lateness().count(), 8U);
}

}  // namespace
