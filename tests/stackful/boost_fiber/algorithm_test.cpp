// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/algorithm.hpp"

#include <gtest/gtest.h>

#include "io/counters.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace {

using stackful::boost_fiber::Algorithm;
using stackful::boost_fiber::Scheduler;

std::uint64_t waits_since(const io::SystemCalls& before) {
  return (io::system_calls() - before)[io::SystemCall::wait];
}

/// The dispatcher asks after it has emptied the queue of remote wakes, and then waits: a turn in
/// between would swallow the wake of a fiber queued since.
TEST(BoostFiberAlgorithm, PickingFromAnEmptyQueueLeavesAWakeToTheWaitThatFollows) {
  Scheduler scheduler;
  Algorithm algorithm{scheduler};
  const io::SystemCalls before = io::system_calls();
  algorithm.notify();
  for (unsigned pick = 0; pick < 3 * io::poll_budget; ++pick) {
    ASSERT_EQ(algorithm.pick_next(), nullptr);
  }
  EXPECT_EQ(waits_since(before), 0U);
  algorithm.suspend_until(io::never);  // hangs if the wake is gone
  EXPECT_EQ(waits_since(before), 1U);
}

TEST(BoostFiberAlgorithm, DeadlinesInThePastOnlyLook) {
  Scheduler scheduler;
  Algorithm algorithm{scheduler};
  const io::SystemCalls before = io::system_calls();
  algorithm.suspend_until(io::TimePoint::min());
  algorithm.suspend_until(io::TimePoint{});
  EXPECT_EQ(waits_since(before), 2U);
}

TEST(BoostFiberAlgorithm, NotificationsBeforeAWaitAreOneWake) {
  Scheduler scheduler;
  Algorithm algorithm{scheduler};
  const io::SystemCalls before = io::system_calls();
  for (int i = 0; i < 5; ++i) algorithm.notify();
  EXPECT_EQ((io::system_calls() - before)[io::SystemCall::wake], 1U);
}

}  // namespace
