// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/sleep.hpp"

#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <vector>

#include "io/counters.hpp"
#include "stackful/boost_fiber/event.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace {

using namespace std::chrono_literals;
using stackful::boost_fiber::Event;
using stackful::boost_fiber::Scheduler;
using stackful::boost_fiber::sleep_until;
using stackful::boost_fiber::yield;

io::Duration processor_time() {
  timespec used{};
  EXPECT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

/// Sleeps until ten deadlines, spawned out of order. Empty when the machine was too slow to have
/// all asleep before the first.
std::vector<int> order_of_ten_sleeps(io::Duration until_first) {
  std::vector<int> ended;
  bool in_time = true;
  Scheduler scheduler;
  const io::TimePoint first = io::Clock::now() + until_first;
  for (const int step : {7, 3, 9, 1, 5, 0, 8, 2, 6, 4}) {
    EXPECT_FALSE(scheduler.spawn([&, step] {
      const io::TimePoint deadline = first + step * 2ms;
      in_time = in_time && io::Clock::now() < first;
      sleep_until(deadline);
      EXPECT_GE(io::Clock::now(), deadline);
      ended.push_back(step);
    }));
  }
  scheduler.run();
  return in_time ? ended : std::vector<int>{};
}

TEST(BoostFiberSleep, EndsInTheOrderOfDeadlinesAndNeverEarly) {
  std::vector<int> ended;
  for (io::Duration patience = 10ms; ended.empty() && patience < 20s; patience *= 4) {
    ended = order_of_ten_sleeps(patience);
  }
  EXPECT_EQ(ended, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(BoostFiberSleep, DeadlinesInThePastReturn) {
  int returned = 0;
  Scheduler scheduler;
  for (const io::TimePoint past : {io::TimePoint::min(), io::TimePoint{}, io::Clock::now() - 1h}) {
    ASSERT_FALSE(scheduler.spawn([&returned, past] {
      sleep_until(past);
      ++returned;
    }));
  }
  scheduler.run();
  EXPECT_EQ(returned, 3);
}

TEST(BoostFiberSleep, IdleMeansNoProcessorAndNoSystemCalls) {
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([] { sleep_until(io::Clock::now() + 300ms); }));
  const io::TimePoint start = io::Clock::now();
  const io::Duration used = processor_time();
  const io::SystemCalls before = io::system_calls();
  scheduler.run();
  EXPECT_LT(processor_time() - used, (io::Clock::now() - start) / 20);
  EXPECT_LE((io::system_calls() - before)[io::SystemCall::wait], 10U);
}

TEST(BoostFiberSleep, BusyFibersDoNotStarveASleeper) {
  bool awake = false;
  Scheduler scheduler;
  for (int task = 0; task < 100; ++task) {
    ASSERT_FALSE(scheduler.spawn([&awake] {
      while (!awake) yield();
    }));
  }
  ASSERT_FALSE(scheduler.spawn([&awake] {
    sleep_until(io::Clock::now() + 5ms);
    awake = true;
  }));
  scheduler.run();  // hangs when it does
  EXPECT_TRUE(awake);
}

}  // namespace
