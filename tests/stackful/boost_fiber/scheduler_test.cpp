// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/scheduler.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/counters.hpp"
#include "stackful/boost_fiber/event.hpp"
#include "stackful/boost_fiber/sleep.hpp"

namespace {

using stackful::boost_fiber::Event;
using stackful::boost_fiber::Scheduler;
using stackful::boost_fiber::yield;
using Trace = std::vector<std::string>;

std::size_t open_descriptors() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{}));
}

TEST(BoostFiberScheduler, RunsNothingBeforeRunAndThenInOrder) {
  Trace trace;
  Scheduler scheduler;
  for (const char* name : {"a", "b"}) {
    ASSERT_FALSE(scheduler.spawn([&trace, name] {
      trace.push_back(std::string{name} + "1");
      yield();
      trace.push_back(std::string{name} + "2");
    }));
  }
  EXPECT_TRUE(trace.empty());
  EXPECT_EQ(scheduler.live_tasks(), 2U);
  scheduler.run();
  EXPECT_EQ(trace, (Trace{"a1", "b1", "a2", "b2"}));
  EXPECT_EQ(scheduler.live_tasks(), 0U);
}

TEST(BoostFiberScheduler, ATaskSpawnsTasksThatOutliveIt) {
  Trace trace;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    ASSERT_FALSE(scheduler.spawn([&] {
      yield();
      trace.emplace_back("child");
    }));
    trace.emplace_back("parent");
  }));
  scheduler.run();
  EXPECT_EQ(trace, (Trace{"parent", "child"}));
}

TEST(BoostFiberScheduler, RunsAgainAfterItHasRun) {
  int runs = 0;
  Scheduler scheduler;
  scheduler.run();
  for (int round = 0; round < 3; ++round) {
    ASSERT_FALSE(scheduler.spawn([&] { ++runs; }));
    scheduler.run();
  }
  EXPECT_EQ(runs, 3);
}

TEST(BoostFiberScheduler, ManyFollowEachOtherOnOneThreadAndLeaveNothing) {
  {
    Scheduler warm_up;
    warm_up.run();
  }
  const std::size_t before = open_descriptors();
  int runs = 0;
  for (int round = 0; round < 500; ++round) {
    Scheduler scheduler;
    Event event{scheduler};
    ASSERT_FALSE(scheduler.spawn([&] {
      event.wait();
      ++runs;
    }));
    ASSERT_FALSE(scheduler.spawn([&] { event.set(); }));
    scheduler.run();
  }
  EXPECT_EQ(runs, 500);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(BoostFiberScheduler, IsBuiltOnOneThreadAndRunOnAnotherThatEnds) {
  for (int round = 0; round < 50; ++round) {
    std::thread::id ran_on;
    Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&] {
      yield();
      ran_on = std::this_thread::get_id();
    }));
    std::thread runner{[&] {
      scheduler.run();
    }};
    const std::thread::id runner_id = runner.get_id();
    runner.join();
    EXPECT_EQ(ran_on, runner_id);
  }
}

TEST(BoostFiberScheduler, TwoRunOnTwoThreadsAtOnceAndWakeEachOther) {
  constexpr int rounds = 2000;
  Scheduler left;
  Scheduler right;
  Event to_left{left};
  Event to_right{right};
  int served = 0;
  ASSERT_FALSE(left.spawn([&] {
    for (int round = 0; round < rounds; ++round) {
      to_right.set();
      to_left.wait();
    }
  }));
  ASSERT_FALSE(right.spawn([&] {
    for (; served < rounds; ++served) {
      to_right.wait();
      to_left.set();
    }
  }));
  std::thread other{[&] {
    right.run();
  }};
  left.run();
  other.join();
  EXPECT_EQ(served, rounds);
}

TEST(BoostFiberScheduler, ExceptionsStayWithTheirFiberAcrossSwitches) {
  int right = 0;
  Scheduler scheduler;
  for (int task = 0; task < 8; ++task) {
    ASSERT_FALSE(scheduler.spawn([&right, task] {
      for (int round = 0; round < 50; ++round) {
        try {
          throw std::runtime_error{std::to_string(task)};
        } catch (const std::runtime_error& caught) {
          yield();  // others throw and catch meanwhile
          try {
            throw;
          } catch (const std::runtime_error& again) {
            right += again.what() == std::to_string(task) && &again == &caught ? 1 : 0;
          }
        }
      }
    }));
  }
  scheduler.run();
  EXPECT_EQ(right, 8 * 50);
}

TEST(BoostFiberScheduler, ErrnoStaysWithItsFiberAcrossSwitches) {
  int right = 0;
  Scheduler scheduler;
  for (int task = 1; task <= 8; ++task) {
    ASSERT_FALSE(scheduler.spawn([&right, task] {
      errno = task;
      yield();
      right += errno == task ? 1 : 0;
    }));
  }
  scheduler.run();
  EXPECT_EQ(right, 8);
}

TEST(BoostFiberSchedulerDeathTest, AnEscapingExceptionTerminates) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Scheduler scheduler;
        if (scheduler.spawn([] { throw std::runtime_error{"escaped"}; })) std::abort();
        scheduler.run();
      },
      "escaped");
}

TEST(BoostFiberScheduler, LooksAtTheReactorBesideBusyFibersButNotAtEveryPick) {
  constexpr std::uint64_t rounds = 100'000;
  std::uint64_t turns = 0;
  bool busy = true;
  bool woke_beside_it = false;  // only a look finds out that a sleep is over: else it goes on
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    for (; turns < rounds || !woke_beside_it; ++turns) yield();
    busy = false;
  }));
  // Where nothing can be due nobody looks at all.
  ASSERT_FALSE(scheduler.spawn([&] {
    while (busy) {
      stackful::boost_fiber::sleep_until(io::Clock::now() + std::chrono::milliseconds{1});
      woke_beside_it = woke_beside_it || busy;
    }
  }));
  const io::SystemCalls before = io::system_calls();
  scheduler.run();
  const std::uint64_t looks = (io::system_calls() - before)[io::SystemCall::wait];
  EXPECT_TRUE(woke_beside_it);
  EXPECT_LE(looks, 2 * turns / io::poll_budget);  // two picks a yield: the dispatcher, the fiber
}

}  // namespace
