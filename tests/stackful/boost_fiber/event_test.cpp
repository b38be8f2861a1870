// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/event.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "io/counters.hpp"
#include "stackful/boost_fiber/scheduler.hpp"
#include "stackful/boost_fiber/sleep.hpp"

namespace {

using stackful::boost_fiber::Event;
using stackful::boost_fiber::Scheduler;
using stackful::boost_fiber::sleep_until;
using stackful::boost_fiber::yield;

TEST(BoostFiberEvent, IsStickyAndResetsItself) {
  std::vector<int> trace;
  Scheduler scheduler;
  Event event{scheduler};
  ASSERT_FALSE(scheduler.spawn([&] {
    event.set();
    event.set();
    event.wait();  // two sets are one
    trace.push_back(1);
    event.wait();
    trace.push_back(3);
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    trace.push_back(2);
    event.set();
  }));
  scheduler.run();
  EXPECT_EQ(trace, (std::vector<int>{1, 2, 3}));
}

TEST(BoostFiberEvent, HandsABatonRoundARingInOrder) {
  constexpr std::size_t tasks = 50;
  constexpr std::size_t hops = tasks * 20;
  std::vector<std::size_t> visits;
  Scheduler scheduler;
  std::vector<std::unique_ptr<Event>> events;
  for (std::size_t i = 0; i < tasks; ++i) events.push_back(std::make_unique<Event>(scheduler));
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_FALSE(scheduler.spawn([&, i] {
      for (std::size_t round = 0; round < hops / tasks; ++round) {
        events[i]->wait();
        visits.push_back(i);
        events[(i + 1) % tasks]->set();
      }
    }));
  }
  events[0]->set();
  scheduler.run();
  ASSERT_EQ(visits.size(), hops);
  for (std::size_t hop = 0; hop < hops; ++hop) ASSERT_EQ(visits[hop], hop % tasks);
}

TEST(BoostFiberEvent, SetsOnTheOwnThreadMakeNoWakeCall) {
  Scheduler scheduler;
  Event event{scheduler};
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int round = 0; round < 1000; ++round) event.wait();
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int round = 0; round < 1000; ++round) {
      event.set();
      yield();
    }
  }));
  const io::SystemCalls before = io::system_calls();
  scheduler.run();
  EXPECT_EQ((io::system_calls() - before)[io::SystemCall::wake], 0U);
}

TEST(BoostFiberEvent, SetBeforeRunIsKept) {
  bool waited = false;
  Scheduler scheduler;
  Event event{scheduler};
  event.set();
  ASSERT_FALSE(scheduler.spawn([&] {
    event.wait();
    waited = true;
  }));
  scheduler.run();
  EXPECT_TRUE(waited);
}

TEST(BoostFiberEvent, NoSetOfAnotherThreadIsLostBesideBusyFibersOrIdle) {
  constexpr int rounds = 500;
  for (const bool busy : {false, true}) {
    int taken = 0;
    bool done = false;
    Scheduler scheduler;
    Event request{scheduler};
    std::atomic<int> answered{0};
    ASSERT_FALSE(scheduler.spawn([&] {
      for (; taken < rounds; ++taken) {
        request.wait();
        answered.store(taken + 1);
        answered.notify_one();
      }
      done = true;
    }));
    if (busy) {
      ASSERT_FALSE(scheduler.spawn([&] {
        while (!done) yield();
      }));
    }
    std::thread other{[&] {
      for (int round = 0; round < rounds; ++round) {
        request.set();
        answered.wait(round);
      }
    }};
    scheduler.run();
    other.join();
    EXPECT_EQ(taken, rounds);
  }
}

TEST(BoostFiberEvent, SetsOfAnotherThreadWakeTheWaitersInTheirOrder) {
  constexpr std::size_t tasks = 8;
  std::vector<std::size_t> woken;
  Scheduler scheduler;
  std::vector<std::unique_ptr<Event>> events;
  for (std::size_t i = 0; i < tasks; ++i) events.push_back(std::make_unique<Event>(scheduler));
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_FALSE(scheduler.spawn([&, i] {
      events[i]->wait();
      woken.push_back(i);
    }));
  }
  std::thread{[&] {
    for (const auto& event : events) event->set();
  }}.join();
  scheduler.run();
  EXPECT_EQ(woken, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BoostFiberEvent, OneDestroyedWhileStillPostedIsForgotten) {
  Scheduler scheduler;
  for (const std::size_t destroyed_first : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    std::array<std::unique_ptr<Event>, 3> events;
    for (auto& event : events) event = std::make_unique<Event>(scheduler);
    for (auto& event : events) event->set();
    events[destroyed_first].reset();
    auto one_more = std::make_unique<Event>(scheduler);
    one_more->set();
    int woken = 0;
    ASSERT_FALSE(scheduler.spawn([&] {
      for (auto& event : events) {
        if (event == nullptr) continue;
        event->wait();
        ++woken;
      }
      one_more->wait();
      ++woken;
    }));
    scheduler.run();
    EXPECT_EQ(woken, 3);
  }
}

TEST(BoostFiberEvent, MayBeDestroyedAsSoonAsItsWaitReturns) {
  constexpr int rounds = 500;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int round = 0; round < rounds; ++round) {
      auto event = std::make_unique<Event>(scheduler);
      std::thread setter{[raw = event.get()] {
        raw->set();
      }};
      event->wait();
      event.reset();
      setter.join();
    }
  }));
  scheduler.run();
}

}  // namespace
