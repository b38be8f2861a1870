// SPDX-License-Identifier: BSL-1.0
#include "threads/event.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "io/counters.hpp"
#include "threads/scheduler.hpp"

namespace {

std::uint64_t made_since(const io::SystemCalls& before, io::SystemCall kind) {
  return (io::system_calls() - before)[kind];
}

TEST(ThreadsEvent, SetWithoutWaiterAndTheWaitAfterItMakeNoSystemCall) {
  threads::Scheduler scheduler;
  threads::Event event{scheduler};
  const io::SystemCalls before = io::system_calls();
  event.set();
  event.set();
  event.wait();
  EXPECT_EQ(made_since(before, io::SystemCall::wait), 0U);
  EXPECT_EQ(made_since(before, io::SystemCall::wake), 0U);
}

TEST(ThreadsEvent, AHandOverBetweenBlockedThreadsIsOneWakeAndOneWait) {
  constexpr std::uint64_t rounds = 1000;
  threads::Scheduler scheduler;
  threads::Event ping{scheduler};
  threads::Event pong{scheduler};
  const io::SystemCalls before = io::system_calls();
  std::thread other{[&] {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      ping.wait();
      pong.set();
    }
  }};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    ping.set();
    pong.wait();
  }
  other.join();
  // A setter that comes between the waiter's mark and its sleep wakes nobody: the wait ends at
  // once.
  EXPECT_LE(made_since(before, io::SystemCall::wake), 2 * rounds);
  EXPECT_LE(made_since(before, io::SystemCall::wait), 2 * rounds + 10);
}

TEST(ThreadsEvent, MayBeDestroyedAsSoonAsItsWaitReturns) {
  threads::Scheduler scheduler;
  for (int round = 0; round < 1000; ++round) {
    auto event = std::make_unique<threads::Event>(scheduler);
    std::thread setter{[raw = event.get()] {
      raw->set();
    }};
    event->wait();
    event.reset();
    setter.join();
  }
}

}  // namespace
