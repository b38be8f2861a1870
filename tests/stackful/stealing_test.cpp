// SPDX-License-Identifier: BSL-1.0
// Fibers that change their thread, and what of them holds then. Built a second time with link-time
// optimisation, where compilers see through more.
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <exception>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "stackful/event.hpp"
#include "stackful/runtime.hpp"

namespace {

using stackful::Event;
using stackful::Runtime;
using stackful::Scheduler;

thread_local int of_this_thread = 0;

/// The thread that runs now, whatever the compiler remembers. Not inlined, and not known to return
/// what to clang is a constant of the whole program.
[[gnu::noinline]] int* where_it_is_now() {
  int* here = &of_this_thread;
  asm volatile("" : "+r"(here) : : "memory");
  return here;
}
[[gnu::noinline]] int errno_now() {
  asm volatile("" ::: "memory");
  return errno;
}
[[gnu::noinline]] void set_errno(int number) {
  asm volatile("" ::: "memory");
  errno = number;
}

class StealingTest : public testing::Test {
 protected:
  template <class Body>
  void spawn(Body body) {
    const std::error_code error = runtime_.spawn(std::move(body));
    ASSERT_FALSE(error) << error.message();
  }

  static void yield() { Scheduler::current()->yield(); }

  /// One fiber on each worker that stays there. It sleeps, so that its worker has nothing to do;
  /// but woken, it keeps the worker busy until the traveller has gone to the other. The traveller
  /// is spawned by the second to come: before, its yields could keep a worker from taking a driver.
  void spawn_drivers_and(std::function<void()> traveller) {
    traveller_ = std::move(traveller);
    for (int driver = 0; driver != 2; ++driver) {
      spawn([this] {
        while (!claim_this_worker()) yield();
        Event turn{runtime_};
        introduce_driver(turn);
        while (true) {
          turn.wait();
          if (arrived_) return;
          while (traveller_is_on_ == where_it_is_now()) std::this_thread::yield();
        }
      });
    }
  }

  bool claim_this_worker() {
    const std::lock_guard locked{mutex_};
    return turns_.emplace(where_it_is_now(), nullptr).second;
  }

  void introduce_driver(Event& turn) {
    const std::lock_guard locked{mutex_};
    turns_.at(where_it_is_now()) = &turn;
    if (++drivers_ == 2) spawn(traveller_);
  }

  void wake_driver(const int* thread) {
    const std::lock_guard locked{mutex_};
    turns_.at(thread)->set();
  }

  /// Of the traveller: yields until it is on another thread.
  void change_threads() {
    const int* const before = where_it_is_now();
    traveller_is_on_ = before;
    wake_driver(before);
    while (where_it_is_now() == before) yield();
    traveller_is_on_ = where_it_is_now();
  }

  void arrive() {
    arrived_ = true;
    for (const auto& [thread, turn] : turns_) turn->set();
  }

  Runtime runtime_{{.workers = 2, .stealing = true}};
  std::atomic<const int*> traveller_is_on_{nullptr};
  std::atomic<bool> arrived_{false};
  std::mutex mutex_;
  std::map<const int*, Event*> turns_;  // of the drivers, by thread
  int drivers_ = 0;                     // the same
  std::function<void()> traveller_;
};

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

// The hazard that the option is documented with: what is written there, the new thread does not
// see. What the compiler does with an address that it has computed itself is its own choice: told,
// not judged.
TEST_F(StealingTest, AnAddressFromBeforeIsThatOfTheOldThread) {
  spawn_drivers_and([&] {
    int* const kept = where_it_is_now();
    change_threads();
    *where_it_is_now() = 1;
    *kept = 5;
    EXPECT_EQ(*where_it_is_now(), 1);
    of_this_thread = 2;
    const bool cached = *where_it_is_now() != 2;
    RecordProperty("thread-local address cached across the switch", cached ? "yes" : "no");
    arrive();
  });
  runtime_.run();
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
