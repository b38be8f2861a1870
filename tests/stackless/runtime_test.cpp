// SPDX-License-Identifier: BSL-1.0
#include "stackless/runtime.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <optional>
#include <thread>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

constexpr Options two_workers{.workers = 2};

TEST(Runtime, RefusesWorkersItCannotHave) {
  for (const unsigned workers : {0U, 65U}) {
    EXPECT_THROW(Runtime{Options{.workers = workers}}, std::system_error);
  }
}

Async<> meet(std::latch& all) {
  all.arrive_and_wait();
  co_return;
}

/// Keeps its worker until both workers are kept: by tasks that were spawned on one of them.
Async<> spawn_for_both(Runtime& runtime, std::latch& all) {
  EXPECT_FALSE(runtime.spawn([&] { return meet(all); }));
  all.arrive_and_wait();
  co_return;
}

TEST(Runtime, AnIdleWorkerTakesTasksThatHaveNotBegun) {
  Runtime runtime{two_workers};
  for (int round = 0; round < 50; ++round) {
    std::latch all{2};
    ASSERT_FALSE(runtime.spawn([&] { return spawn_for_both(runtime, all); }));
    runtime.run();
  }
  EXPECT_GE(runtime.steals(), 50U);
}

Async<> note_thread(std::thread::id expected, std::atomic<int>& done) {
  EXPECT_EQ(std::this_thread::get_id(), expected);
  ++done;
  co_return;
}

Async<> spawn_many(Runtime& runtime, std::atomic<int>& done) {
  for (int task = 0; task < 1000; ++task) {
    EXPECT_FALSE(runtime.spawn([&] { return note_thread(std::this_thread::get_id(), done); }));
  }
  co_return;
}

TEST(Runtime, WithoutStealingAWorkerKeepsWhatItHasSpawned) {
  Runtime runtime{{.workers = 2, .stealing = false}};
  std::atomic<int> done{0};
  ASSERT_FALSE(runtime.spawn([&] { return spawn_many(runtime, done); }));
  runtime.run();
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(runtime.steals(), 0U);
}

Async<> stay(std::atomic<int>& stayed) {
  const std::thread::id here = std::this_thread::get_id();
  for (int turn = 0; turn < 20; ++turn) {
    if (turn % 2 == 0) {
      co_await yield();
    } else {
      co_await sleep_until(io::Clock::now() + std::chrono::microseconds{100});
    }
    if (std::this_thread::get_id() != here) co_return;
  }
  ++stayed;
}

TEST(Runtime, ATaskThatHasBegunStaysOnItsWorker) {
  constexpr int tasks = 1000;
  Runtime runtime{two_workers};
  std::atomic<int> stayed{0};
  for (int task = 0; task < tasks; ++task) {
    ASSERT_FALSE(runtime.spawn([&] { return stay(stayed); }));
  }
  EXPECT_EQ(runtime.live_tasks(), std::size_t{tasks});
  runtime.run();
  EXPECT_EQ(stayed, tasks);
  EXPECT_EQ(runtime.live_tasks(), 0U);
}

Async<> hand_on(std::latch& all, Event& mine, Event& next, int rounds, int& hops) {
  all.arrive_and_wait();  // each on a worker of its own
  for (int round = 0; round < rounds; ++round) {
    co_await mine.wait();
    ++hops;
    next.set();
  }
}

TEST(Runtime, WorkersHandAnEventToAndFro) {
  constexpr int rounds = 5000;
  Runtime runtime{two_workers};
  Event ping{runtime};
  Event pong{runtime};
  std::latch all{2};
  int hops = 0;
  ASSERT_FALSE(runtime.spawn([&] { return hand_on(all, ping, pong, rounds, hops); }));
  ASSERT_FALSE(runtime.spawn([&] { return hand_on(all, pong, ping, rounds, hops); }));
  ping.set();
  runtime.run();
  EXPECT_EQ(hops, 2 * rounds);
}

Async<> wait_for_ever(Runtime& runtime, test::SharedCounted) {
  Event never{runtime};
  co_await never.wait();
}

Async<> grow(Runtime& runtime, std::atomic<int>& alive, std::atomic<int>& grown) {
  while (true) {
    for (int task = 0; task < 10; ++task) {
      EXPECT_FALSE(
          runtime.spawn([&] { return wait_for_ever(runtime, test::SharedCounted{alive}); }));
    }
    ++grown;
    co_await yield();
  }
}

TEST(Runtime, StoppedAtWorkItDropsWhatHasBegunAndWhatHasNot) {
  for (const bool stealing : {true, false}) {
    std::atomic<int> alive{0};
    std::atomic<int> grown{0};
    std::optional<Runtime> runtime{std::in_place, Options{.workers = 2, .stealing = stealing}};
    for (int task = 0; task < 2; ++task) {
      ASSERT_FALSE(runtime->spawn([&] { return grow(*runtime, alive, grown); }));
    }
    std::jthread running{[&] {
      runtime->run();
    }};
    while (grown < 100) std::this_thread::yield();
    runtime->stop();
    running.join();
    EXPECT_GT(runtime->live_tasks(), 0U);
    runtime.reset();
    EXPECT_EQ(alive, 0);
  }
}

}  // namespace
}  // namespace stackless
