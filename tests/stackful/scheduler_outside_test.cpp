// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "io/counters.hpp"
#include "stackful/event.hpp"
#include "stackful/scheduler.hpp"
#include "stackful/sleep.hpp"
#include "tests/stackful/scheduler_fixture.hpp"

namespace {

using stackful::Event;
using stackful::Fiber;

/// What reaches a scheduler from outside: its reactor, other threads.
using SchedulerOutsideTest = SchedulerTest;

TEST_F(SchedulerOutsideTest, LooksAtTheReactorAtMostOnceABudget) {
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

TEST_F(SchedulerOutsideTest, ALoneYielderLooksAtTheReactorToo) {
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

TEST_F(SchedulerOutsideTest, ALoneYielderHearsFromOtherThreads) {
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

TEST_F(SchedulerOutsideTest, UnparksFromOtherThreadsAreNeverLost) {
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
