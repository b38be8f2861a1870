// SPDX-License-Identifier: BSL-1.0
#include "stackful/sleep.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "stackful/scheduler.hpp"

namespace {

using namespace std::chrono_literals;
using stackful::Scheduler;

TEST(FiberSleep, WakesInTheOrderOfTheDeadlinesAndNeverEarly) {
  Scheduler scheduler{{}};
  std::string trace;
  const io::TimePoint start = io::Clock::now();
  const auto sleeper = [&](const char* who, io::Duration delay) {
    return [&trace, who, deadline = start + delay] {
      stackful::sleep_until(deadline);
      EXPECT_GE(io::Clock::now(), deadline);
      trace += who;
    };
  };
  ASSERT_FALSE(scheduler.spawn(sleeper("c", 15ms)));
  ASSERT_FALSE(scheduler.spawn(sleeper("a", 5ms)));
  ASSERT_FALSE(scheduler.spawn(sleeper("b", 10ms)));
  scheduler.run();
  EXPECT_EQ(trace, "abc");
}

TEST(FiberSleep, ReturnsAtOnceFromADeadlineThatHasPassed) {
  Scheduler scheduler{{}};
  std::string trace;
  ASSERT_FALSE(scheduler.spawn([&] {
    stackful::sleep_until(io::Clock::now() - 1s);
    trace += "a";
  }));
  ASSERT_FALSE(scheduler.spawn([&] { trace += "b"; }));
  scheduler.run();
  EXPECT_EQ(trace, "ab");
}

TEST(FiberSleep, AnUnparkMeantForSomethingElseDoesNotCutItShort) {
  Scheduler scheduler{{}};
  const io::TimePoint deadline = io::Clock::now() + 5ms;
  stackful::Fiber* sleeping = nullptr;
  bool slept = false;
  ASSERT_FALSE(scheduler.spawn([&] {
    sleeping = &scheduler.running();
    stackful::sleep_until(deadline);
    EXPECT_GE(io::Clock::now(), deadline);
    slept = true;
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int i = 0; i != 3; ++i) {
      scheduler.unpark(*sleeping);
      scheduler.yield();
    }
  }));
  scheduler.run();
  EXPECT_TRUE(slept);
}

TEST(FiberSleep, IsNotDelayedByAGreedyYielder) {
  Scheduler scheduler{{}};
  bool slept = false;
  ASSERT_FALSE(scheduler.spawn([&] {
    stackful::sleep_until(io::Clock::now() + 2ms);
    slept = true;
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    while (!slept) scheduler.yield();
  }));
  scheduler.run();
  EXPECT_TRUE(slept);
}

}  // namespace
