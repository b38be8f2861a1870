// SPDX-License-Identifier: BSL-1.0
#include "stackful/event.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "io/counters.hpp"

namespace {

using stackful::Event;
using stackful::Scheduler;

class EventTest : public testing::Test {
 protected:
  void note(const std::string& what) { trace_ += (trace_.empty() ? "" : " ") + what; }

  Scheduler scheduler_{{}};
  std::string trace_;
};

TEST_F(EventTest, IsStickyAndResetsItself) {
  Event event{scheduler_};
  ASSERT_FALSE(scheduler_.spawn([&] {
    event.set();
    event.set();
    event.wait();
    note("first");
    event.wait();
    note("second");
  }));
  ASSERT_FALSE(scheduler_.spawn([&] {
    note("other");
    event.set();
  }));
  scheduler_.run();
  EXPECT_EQ(trace_, "first other second");
}

TEST_F(EventTest, ASetBeforeRunIsKept) {
  Event event{scheduler_};
  event.set();
  ASSERT_FALSE(scheduler_.spawn([&] {
    event.wait();
    note("taken");
  }));
  scheduler_.run();
  EXPECT_EQ(trace_, "taken");
}

TEST_F(EventTest, TheSetterGoesOnAndTheWaiterComesInItsTurn) {
  Event event{scheduler_};
  ASSERT_FALSE(scheduler_.spawn([&] {
    note("wait");
    event.wait();
    note("woken");
  }));
  ASSERT_FALSE(scheduler_.spawn([&] {
    note("set");
    event.set();
    note("go-on");
    scheduler_.yield();
    note("setter-again");
  }));
  ASSERT_FALSE(scheduler_.spawn([&] { note("third"); }));
  scheduler_.run();
  EXPECT_EQ(trace_, "wait set go-on third woken setter-again");
}

TEST_F(EventTest, PassesABatonRound) {
  constexpr std::size_t runners = 4;
  std::vector<std::unique_ptr<Event>> events;
  for (std::size_t i = 0; i != runners; ++i) events.push_back(std::make_unique<Event>(scheduler_));
  for (std::size_t i = 0; i != runners; ++i) {
    ASSERT_FALSE(scheduler_.spawn([&, i] {
      for (int round = 0; round != 3; ++round) {
        events[i]->wait();
        note(std::to_string(i));
        events[(i + 1) % runners]->set();
      }
    }));
  }
  events[0]->set();
  scheduler_.run();
  EXPECT_EQ(trace_, "0 1 2 3 0 1 2 3 0 1 2 3");
}

TEST_F(EventTest, TheOwnThreadMakesNoSystemCallToSetOrWait) {
  Event event{scheduler_};
  ASSERT_FALSE(scheduler_.spawn([&] {
    const io::SystemCalls before = io::system_calls();
    for (int i = 0; i != 1000; ++i) {
      event.set();
      event.wait();
    }
    const io::SystemCalls made = io::system_calls() - before;
    for (const std::uint64_t count : made.made) {
      EXPECT_EQ(count, 0U);
    }
  }));
  scheduler_.run();
}

TEST_F(EventTest, MayEndWhileASetFromElsewhereIsOnItsWay) {
  ASSERT_FALSE(scheduler_.spawn([&] {
    for (int i = 0; i != 200; ++i) {
      auto event = std::make_unique<Event>(scheduler_);
      std::thread other{[&] {
        event->set();
      }};
      other.join();
    }
    note("ended");
  }));
  scheduler_.run();
  EXPECT_EQ(trace_, "ended");
}

// Each thread plays with one fiber: it sets, and waits for the answer, so a lost wake-up hangs.
TEST_F(EventTest, SetsFromOtherThreadsAreNeverLost) {
  constexpr int threads = 4;
  constexpr int rounds = 2'000;
  struct Pair {
    explicit Pair(Scheduler& scheduler) : event{scheduler} {}
    Event event;
    int written = 0;  // plain: the event has to carry it across
    std::atomic<int> answered{0};
  };
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<std::thread> others;
  for (int i = 0; i != threads; ++i) {
    Pair& pair = *pairs.emplace_back(std::make_unique<Pair>(scheduler_));
    ASSERT_FALSE(scheduler_.spawn([&pair] {
      for (int round = 1; round <= rounds; ++round) {
        pair.event.wait();
        EXPECT_EQ(pair.written, round);
        pair.answered.store(round, std::memory_order_release);
      }
    }));
    others.emplace_back([&pair] {
      for (int round = 1; round <= rounds; ++round) {
        pair.written = round;
        pair.event.set();
        while (pair.answered.load(std::memory_order_acquire) < round) std::this_thread::yield();
      }
    });
  }
  scheduler_.run();
  for (std::thread& other : others) other.join();
  for (const auto& pair : pairs) EXPECT_EQ(pair->answered.load(), rounds);
}

}  // namespace
