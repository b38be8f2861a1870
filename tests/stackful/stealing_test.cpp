// SPDX-License-Identifier: BSL-1.0
// Fibers that change their thread, and what of them holds then. Built a second time with link-time
// optimisation, where compilers see through more.
#include "tests/stackful/stealing.hpp"

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <exception>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "stackful/event.hpp"
#include "stackful/runtime.hpp"

namespace tests {
namespace {

using stackful::Event;
using stackful::Scheduler;

[[gnu::noinline]] int errno_now() {
  asm volatile("" ::: "memory");
  return errno;
}
[[gnu::noinline]] void set_errno(int number) {
  asm volatile("" ::: "memory");
  errno = number;
}

TEST_F(StealingTest, AnIdleWorkerTakesWhatHasNotStarted) {
  constexpr int tasks = 20;
  std::atomic<int> ran{0};
  spawn([&] {
    for (int i = 0; i != tasks; ++i) spawn([&] { ++ran; });
    while (ran != tasks) std::this_thread::yield();  // makes no way for those dealt to its worker
  });
  runtime_.run();
  EXPECT_EQ(ran, tasks);
  EXPECT_EQ(runtime_.live_tasks(), 0U);
}

TEST_F(StealingTest, WhatBelongsToTheFiberTravelsWithIt) {
  spawn_drivers_and([&] {
    const auto* const self = &Scheduler::current()->running();
    for (int journey = 1; journey <= 50; ++journey) {
      set_errno(journey);
      const int rounding = journey % 2 == 0 ? FE_UPWARD : FE_DOWNWARD;
      EXPECT_EQ(std::fesetround(rounding), 0);
      try {
        throw std::runtime_error{std::to_string(journey)};
      } catch (const std::runtime_error& own) {
        change_threads();
        EXPECT_EQ(own.what(), std::to_string(journey));
        EXPECT_NE(std::current_exception(), nullptr);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
      EXPECT_EQ(errno_now(), journey);
      EXPECT_EQ(std::fegetround(), rounding);
      EXPECT_EQ(&Scheduler::current()->running(), self);
      EXPECT_EQ(&self->scheduler(), Scheduler::current());
    }
    arrive();
  });
  runtime_.run();
  EXPECT_TRUE(arrived_);
}

TEST_F(StealingTest, WhoHasMadeAnEventStays) {
  std::atomic<int> moved{0};
  std::atomic<int> staying{4};
  for (int i = 0; i != 4; ++i) {
    spawn([&] {
      const Event event{runtime_};
      const int* const home = where_it_is_now();
      for (int turn = 0; turn != 2000; ++turn) {
        yield();
        moved += where_it_is_now() != home ? 1 : 0;
      }
      --staying;
    });
  }
  spawn([&] {
    while (staying != 0) yield();
  });
  runtime_.run();
  EXPECT_EQ(moved, 0);
}

TEST_F(StealingTest, AnEventIsSetAndAwaitedFromWherever) {
  constexpr int rounds = 300;
  Event there{runtime_};
  Event back{runtime_};
  std::atomic<int> heard{0};
  spawn([&] {
    for (int round = 0; round != rounds; ++round) {
      yield();
      there.set();
      back.wait();
    }
  });
  spawn([&] {
    for (int round = 0; round != rounds; ++round) {
      there.wait();
      ++heard;
      yield();
      back.set();
    }
  });
  runtime_.run();
  EXPECT_EQ(heard, rounds);
}

TEST_F(StealingTest, ACancelledFiberUnwindsFromItsYieldFarFromHome) {
  const auto held = std::make_shared<int>(0);
  std::atomic<bool> unwound{false};
  spawn_drivers_and([&] {
    change_threads();
    Scheduler::current()->running().cancel();
    try {
      const auto on_the_stack = held;
      yield();
    } catch (const stackful::Cancelled&) {
      unwound = held.use_count() == 1;
    }
    arrive();
  });
  runtime_.run();
  EXPECT_TRUE(unwound);
}

}  // namespace
}  // namespace tests
