// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <memory>
#include <system_error>
#include <vector>

#include "stackful/boost_fiber/scheduler.hpp"
#include "stackful/boost_fiber/sleep.hpp"

namespace {

using stackful::boost_fiber::Scheduler;
using stackful::boost_fiber::yield;

TEST(BoostFiberScheduler, DestroysTheBodiesOfTasksThatWereNeverRun) {
  const auto held = std::make_shared<int>(0);
  {
    Scheduler scheduler;
    for (int task = 0; task < 3; ++task) {
      ASSERT_FALSE(scheduler.spawn([held] { ++*held; }));
    }
    EXPECT_EQ(held.use_count(), 4);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST(BoostFiberScheduler, ABodyIsDestroyedBeforeRunReturns) {
  const auto held = std::make_shared<int>(0);
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([held] { yield(); }));
  scheduler.run();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(BoostFiberScheduler, UsesTheStacksOfEndedTasksAgain) {
  std::vector<const void*> tops;
  Scheduler scheduler;
  for (int round = 0; round < 100; ++round) {
    ASSERT_FALSE(scheduler.spawn([&] {
      const int local = 0;
      tops.push_back(&local);
    }));
    scheduler.run();
  }
  EXPECT_EQ(std::adjacent_find(tops.begin(), tops.end(), std::not_equal_to<>{}), tops.end());
}

TEST(BoostFiberScheduler, AStackThatCannotBeHadIsAnErrorAndNoTask) {
  const auto held = std::make_shared<int>(0);
  Scheduler scheduler{{.stack_bytes = std::size_t{1} << 44}};  // times a slab: more than there is
  const std::error_code error = scheduler.spawn([held] { ++*held; });
  EXPECT_EQ(error, std::errc::not_enough_memory);
  EXPECT_EQ(scheduler.live_tasks(), 0U);
  EXPECT_EQ(held.use_count(), 1);
  scheduler.run();
  EXPECT_EQ(*held, 0);
}

TEST(BoostFiberScheduler, AtTheLimitOfMappingsTheTasksThatAreThereStillRun) {
  std::size_t made = 0;
  std::size_t ran = 0;
  std::error_code error;
  Scheduler scheduler{{.stack_bytes = 16384, .guard = stackful::Guard::mprotect}};
  while (made < 100'000 && !(error = scheduler.spawn([&] { ++ran; }))) ++made;
  if (made == 100'000) GTEST_SKIP() << "vm.max_map_count is above 200,000 here";
  EXPECT_EQ(error, stackful::StackError::max_map_count);
  EXPECT_GT(made, 1000U);
  scheduler.run();
  EXPECT_EQ(ran, made);
}

TEST(BoostFiberScheduler, ABodyThatLeavesNoRoomOnItsStackIsRefused) {
  Scheduler scheduler{{.stack_bytes = 16384}};
  std::array<char, 15000> large{};
  EXPECT_EQ(scheduler.spawn([large] { static_cast<void>(large); }),
            stackful::StackError::stack_too_small);
  bool ran = false;
  EXPECT_FALSE(scheduler.spawn([&ran] { ran = true; }));
  scheduler.run();
  EXPECT_TRUE(ran);
}

TEST(BoostFiberScheduler, RefusesWorkersItDoesNotHave) {
  EXPECT_THROW((Scheduler{{.workers = 2}}), std::system_error);
}

}  // namespace
