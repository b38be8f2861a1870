// SPDX-License-Identifier: BSL-1.0
#include "stackful/scheduler.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "io/counters.hpp"
#include "stackful/event.hpp"
#include "stackful/sleep.hpp"
#include "tests/stackful/scheduler_fixture.hpp"

namespace {

using stackful::Event;
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

TEST_F(SchedulerTest, LooksAtTheReactorAtMostOnceABudget) {
  constexpr unsigned budgets = 100;
  std::uint64_t turns = 0;
  int busy = 2;
  bool woke_beside_them = false;  // only a look finds out that a sleep is over: else they go on
  for (int i = 0; i != 2; ++i) {
    spawn([&] {
      for (unsigned turn = 0; turn < budgets * io::poll_budget || !woke_beside_them; ++turn) {
        scheduler_.yield();
        ++turns;
      }
      --busy;
    });
  }
  // Where nothing can be due nobody looks at all.
  spawn([&] {
    while (busy != 0) {
      stackful::sleep_until(io::Clock::now() + std::chrono::milliseconds{1});
      woke_beside_them = woke_beside_them || busy == 2;
      ++turns;
    }
  });
  const io::SystemCalls before = io::system_calls();
  scheduler_.run();
  const std::uint64_t looks = (io::system_calls() - before)[io::SystemCall::wait];
  EXPECT_TRUE(woke_beside_them);
  EXPECT_LE(looks, turns / io::poll_budget + 4);
}

TEST_F(SchedulerTest, ALoneYielderLooksAtTheReactorToo) {
  bool woke = false;
  spawn([&] {
    stackful::sleep_until(io::Clock::now() + std::chrono::milliseconds{1});
    woke = true;
  });
  spawn([&] {
    while (!woke) scheduler_.yield();
  });
  scheduler_.run();
  EXPECT_TRUE(woke);
}

TEST_F(SchedulerTest, ALoneYielderHearsFromOtherThreads) {
  bool told = false;
  Event event{scheduler_};
  spawn([&] {
    event.wait();
    told = true;
  });
  std::thread other{[&] {
    event.set();
  }};
  spawn([&] {
    while (!told) scheduler_.yield();
  });
  scheduler_.run();
  other.join();
  EXPECT_TRUE(told);
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

TEST_F(SchedulerTest, UnparksFromOtherThreadsAreNeverLost) {
  constexpr int threads = 4;
  constexpr int rounds = 2'000;
  struct Pair {
    std::atomic<Fiber*> fiber{nullptr};
    std::atomic<int> asked{0};
    std::atomic<int> answered{0};
  };
  std::array<Pair, threads> pairs;
  for (Pair& pair : pairs) {
    spawn([&] {
      pair.fiber.store(&scheduler_.running());
      for (int round = 1; round <= rounds; ++round) {
        while (pair.asked.load() < round) scheduler_.park();
        pair.answered.store(round);
      }
      while (pair.asked.load() <= rounds)
        scheduler_.yield();  // alive until the last unpark returned
    });
  }
  std::vector<std::thread> others;
  for (Pair& pair : pairs) {
    others.emplace_back([&] {
      while (pair.fiber.load() == nullptr) std::this_thread::yield();
      for (int round = 1; round <= rounds; ++round) {
        pair.asked.store(round);
        pair.fiber.load()->unpark();
        while (pair.answered.load() < round) std::this_thread::yield();
      }
      pair.asked.store(rounds + 1);
    });
  }
  scheduler_.run();
  for (std::thread& other : others) other.join();
  for (const Pair& pair : pairs) EXPECT_EQ(pair.answered.load(), rounds);
}

}  // namespace
