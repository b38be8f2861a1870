// SPDX-License-Identifier: BSL-1.0
#include "stackful/scheduler.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/stackful/scheduler_fixture.hpp"

namespace {

using stackful::Fiber;
using stackful::Scheduler;

TEST_F(SchedulerTest, RunsFibersInTheOrderOfTheirSpawning) {
  for (const char* who : {"a", "b", "c"}) spawn([this, who] { note(who); });
  note("run");
  scheduler_.run();
  EXPECT_EQ(trace_, "run a b c");
  EXPECT_EQ(scheduler_.live_tasks(), 0U);
}

TEST_F(SchedulerTest, YieldLetsAllOthersGoFirst) {
  for (const std::string who : {"a", "b", "c"}) {
    spawn([this, who] {
      for (const char* step : {"1", "2", "3"}) {
        note(who + step);
        scheduler_.yield();
      }
    });
  }
  scheduler_.run();
  EXPECT_EQ(trace_, "a1 b1 c1 a2 b2 c2 a3 b3 c3");
}

TEST_F(SchedulerTest, ASpawnedFiberStartsAfterAllThatWereRunnable) {
  spawn([this] {
    note("a");
    spawn([this] { note("child"); });
    note("still-a");
    scheduler_.yield();
    note("a-again");
  });
  spawn([this] { note("b"); });
  scheduler_.run();
  EXPECT_EQ(trace_, "a still-a b child a-again");
}

TEST_F(SchedulerTest, UnparkMakesRunnableAndRunsNothing) {
  Fiber* parked = nullptr;
  spawn([&] {
    parked = &scheduler_.running();
    note("park");
    scheduler_.park();
    note("resumed");
  });
  spawn([&] {
    note("unpark");
    scheduler_.unpark(*parked);
    note("go-on");
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "park unpark go-on resumed");
}

TEST_F(SchedulerTest, AnUnparkBeforeTheParkIsKeptOnce) {
  spawn([&] {
    Fiber& self = scheduler_.running();
    scheduler_.unpark(self);
    scheduler_.unpark(self);
    scheduler_.park();
    note("first");
    spawn([&] {
      note("other");
      scheduler_.unpark(self);
    });
    scheduler_.park();
    note("second");
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "first other second");
}

TEST_F(SchedulerTest, TwoUnparksOfOneParkedFiberQueueItOnce) {
  Fiber* parked = nullptr;
  spawn([&] {
    parked = &scheduler_.running();
    scheduler_.park();
    note("resumed");
  });
  spawn([&] {
    scheduler_.unpark(*parked);
    scheduler_.unpark(*parked);
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "resumed");
}

TEST_F(SchedulerTest, RunCanBeCalledAgain) {
  for (int round = 0; round != 3; ++round) {
    spawn([this] { note("ran"); });
    scheduler_.run();
  }
  EXPECT_EQ(trace_, "ran ran ran");
}

[[gnu::noinline]] std::size_t depth_reached(const std::byte* lowest, std::size_t depth) {
  volatile std::byte frame[256];
  frame[0] = std::byte{1};
  if (const_cast<std::byte*>(&frame[0]) - lowest < 16 * 1024) return depth;
  Scheduler::current()->yield();  // suspends with the whole chain on the stack
  return depth_reached(lowest, depth + 1) + static_cast<std::size_t>(frame[0]) - 1;
}

TEST_F(SchedulerTest, SuspendsAtAnyDepth) {
  Scheduler deep{{.stack_bytes = std::size_t{1} << 20}};
  std::array<std::size_t, 2> depths{};
  for (std::size_t& depth : depths) {
    ASSERT_FALSE(
        deep.spawn([&deep, &depth] { depth = depth_reached(deep.running().stack().lowest, 0); }));
  }
  deep.run();
  EXPECT_GT(depths[0], 500U);
  EXPECT_NEAR(static_cast<double>(depths[0]), static_cast<double>(depths[1]), 8);  // the colours
}

TEST_F(SchedulerTest, TenThousandFibersAreAliveAtOnce) {
#if defined(__SANITIZE_THREAD__)
  constexpr std::size_t count = 2'000;  // the sanitizer ends near 8,128, and is slow long before
#else
  constexpr std::size_t count = 10'000;
#endif
  std::size_t parked = 0;
  std::size_t ended = 0;
  std::vector<Fiber*> fibers;
  for (std::size_t i = 0; i != count; ++i) {
    spawn([&] {
      fibers.push_back(&scheduler_.running());
      ++parked;
      scheduler_.park();
      ++ended;
    });
  }
  spawn([&] {
    EXPECT_EQ(parked, count);
    EXPECT_EQ(scheduler_.live_tasks(), count + 1);
    for (Fiber* fiber : fibers) scheduler_.unpark(*fiber);
  });
  scheduler_.run();
  EXPECT_EQ(ended, count);
}

}  // namespace
