// SPDX-License-Identifier: BSL-1.0
// Boost.Fiber's own verbs, used by tasks while its scheduler waits in our reactor.
#include <atomic>
#include <boost/fiber/all.hpp>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "io/counters.hpp"
#include "stackful/boost_fiber/backend.hpp"

namespace {

using namespace std::chrono_literals;
namespace fibers = boost::fibers;
using stackful::boost_fiber::Scheduler;

TEST(BoostFiberNative, ATimedWaitOnAConditionTimesOutAtItsTimeWithoutSpinning) {
  fibers::mutex mutex;
  fibers::condition_variable condition;
  fibers::cv_status status{};
  const io::TimePoint deadline = io::Clock::now() + 50ms;
  io::TimePoint returned;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    std::unique_lock lock{mutex};
    status = condition.wait_until(lock, deadline);
    returned = io::Clock::now();
  }));
  const io::SystemCalls before = io::system_calls();
  scheduler.run();
  EXPECT_EQ(status, fibers::cv_status::timeout);
  EXPECT_GE(returned, deadline);
  EXPECT_LE((io::system_calls() - before)[io::SystemCall::wait], 10U);
}

TEST(BoostFiberNative, ANotifyEndsATimedWaitHoweverFarItsDeadline) {
  for (const io::TimePoint deadline : {io::TimePoint::max(), io::Clock::now() + 1h}) {
    fibers::mutex mutex;
    fibers::condition_variable condition;
    bool ready = false;
    bool in_time = false;
    Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&] {
      std::unique_lock lock{mutex};
      in_time = condition.wait_until(lock, deadline, [&] { return ready; });
    }));
    ASSERT_FALSE(scheduler.spawn([&] {
      stackful::boost_fiber::sleep_until(io::Clock::now() + 2ms);
      const std::lock_guard lock{mutex};
      ready = true;
      condition.notify_one();
    }));
    scheduler.run();
    EXPECT_TRUE(in_time);
  }
}

TEST(BoostFiberNative, DeadlinesAtTheEndsOfTimeAreNoOverflow) {
  fibers::timed_mutex mutex;
  int refused = 0;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    const std::lock_guard lock{mutex};
    fibers::fiber contender{[&] {
      refused += mutex.try_lock_until(io::TimePoint::min()) ? 0 : 1;
      refused += mutex.try_lock_until(io::Clock::now() - 1h) ? 0 : 1;
      refused += mutex.try_lock_for(1ms) ? 0 : 1;
    }};
    contender.join();
    boost::this_fiber::sleep_until(io::TimePoint::min());
  }));
  scheduler.run();
  EXPECT_EQ(refused, 3);
}

TEST(BoostFiberNative, ItsSleepsAndOursEndBesideEachOtherAndNeverEarly) {
  int ended = 0;
  Scheduler scheduler;
  const io::TimePoint start = io::Clock::now() + 5ms;
  for (int step = 0; step < 10; ++step) {
    ASSERT_FALSE(scheduler.spawn([&, step] {
      const io::TimePoint deadline = start + step * 2ms;
      if (step % 2 == 0) {
        boost::this_fiber::sleep_until(deadline);
      } else {
        stackful::boost_fiber::sleep_until(deadline);
      }
      EXPECT_GE(io::Clock::now(), deadline);
      ++ended;
    }));
  }
  scheduler.run();
  EXPECT_EQ(ended, 10);
}

TEST(BoostFiberNative, AMutexIsHeldAcrossSuspensions) {
  fibers::mutex mutex;
  int inside = 0;
  int most = 0;
  Scheduler scheduler;
  for (int task = 0; task < 10; ++task) {
    ASSERT_FALSE(scheduler.spawn([&] {
      const std::lock_guard lock{mutex};
      most = std::max(most, ++inside);
      stackful::boost_fiber::yield();
      boost::this_fiber::sleep_for(1ms);
      --inside;
    }));
  }
  scheduler.run();
  EXPECT_EQ(most, 1);
}

TEST(BoostFiberNative, TasksUseItsFibersChannelsAndFutures) {
  int sum = 0;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    fibers::buffered_channel<int> channel{4};
    fibers::fiber producer{[&channel] {
      for (int value = 1; value <= 100; ++value) channel.push(value);
      channel.close();
    }};
    fibers::future<int> last = fibers::async([] { return 1000; });
    for (const int value : channel) sum += value;
    producer.join();
    sum += last.get();
  }));
  scheduler.run();
  EXPECT_EQ(sum, 5050 + 1000);
}

/// Its remote wake goes through a queue of its own and then wakes our reactor, which both the
/// dispatcher and the picks between turn: neither may swallow it.
TEST(BoostFiberNative, NoWakeOfAnotherThreadIsLostBesideBusyFibersOrIdle) {
  constexpr int rounds = 1000;
  for (const int busy : {0, 1, 7}) {
    bool done = false;
    int taken = 0;
    fibers::buffered_channel<int> channel{2};
    Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&] {
      for (const int value : channel) taken += value == taken ? 1 : 0;
      done = true;
    }));
    for (int task = 0; task < busy; ++task) {
      ASSERT_FALSE(scheduler.spawn([&] {
        while (!done) stackful::boost_fiber::yield();
      }));
    }
    std::thread other{[&] {
      for (int value = 0; value < rounds; ++value) channel.push(value);
      channel.close();
    }};
    scheduler.run();
    other.join();
    EXPECT_EQ(taken, rounds);
  }
}

TEST(BoostFiberNative, AnotherThreadMayStillBeNotifyingWhenRunReturns) {
  for (int round = 0; round < 500; ++round) {
    fibers::promise<int> promise;
    fibers::future<int> future = promise.get_future();
    int got = 0;
    Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&] { got = future.get(); }));
    std::thread other{[&] {
      promise.set_value(round);
    }};
    scheduler.run();
    other.join();
    EXPECT_EQ(got, round);
  }
}

TEST(BoostFiberNative, WorksOnTheThreadBeforeAndAfterRun) {
  std::thread{[] {
    int runs = 0;
    fibers::fiber{[&] {
      ++runs;
    }}.join();
    Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&] { ++runs; }));
    fibers::fiber across{[&] {
      ++runs;
    }};
    scheduler.run();
    across.join();
    fibers::fiber{[&] {
      ++runs;
    }}.join();
    EXPECT_EQ(runs, 4);
  }}.join();
}

}  // namespace
