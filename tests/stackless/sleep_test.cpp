// SPDX-License-Identifier: BSL-1.0
#include "stackless/sleep.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "stackless/timeout.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using std::chrono::milliseconds;
using test::FaultsThrow;
using test::Probe;
using test::Trace;

io::TimePoint in(io::Duration duration) {
  return io::Clock::now() + duration;
}

/// Runs `body` as the only task.
template <class Body>
void as_task(Executor& executor, Body body) {
  ASSERT_FALSE(executor.spawn([&] { return body(); }));
  executor.run();
}

Async<> sleeper(io::TimePoint deadline, Trace& trace, std::string name) {
  co_await sleep_until(deadline);
  EXPECT_GE(io::Clock::now(), deadline) << name;
  trace.push_back(name);
}

TEST(Sleep, EndsInTheOrderOfDeadlinesNeverEarly) {
  Executor executor;
  Trace trace;
  const io::TimePoint start = io::Clock::now();
  for (const int due : {3, 1, 2}) {
    ASSERT_FALSE(executor.spawn(
        [&] { return sleeper(start + milliseconds{due}, trace, std::to_string(due)); }));
  }
  executor.run();
  EXPECT_EQ(trace, (Trace{"1", "2", "3"}));
  EXPECT_EQ(executor.reactor().timers().size(), 0U);
}

TEST(Sleep, APastDeadlineEndsAtTheNextTurn) {
  Executor executor;
  Trace trace;
  ASSERT_FALSE(executor.spawn([&] { return sleeper(io::TimePoint{}, trace, "past"); }));
  executor.run();
  EXPECT_EQ(trace, (Trace{"past"}));
}

Async<> drop_sleeps(Executor& executor) {
  Probe probe;
  const auto armed = [&] {
    return executor.reactor().timers().size();
  };
  {
    Sleep fresh = sleep_until(io::never);
    EXPECT_EQ(armed(), 0U);
    Sleep pending_one = sleep_until(in(std::chrono::hours{1}));
    EXPECT_TRUE(probe.poll(pending_one).is_pending());
    EXPECT_TRUE(probe.poll(pending_one).is_pending());
    EXPECT_EQ(armed(), 1U);
  }
  EXPECT_EQ(armed(), 0U);
  EXPECT_EQ(probe.references, 0);
  {
    Sleep over = sleep_until(io::TimePoint{});
    EXPECT_TRUE(probe.poll(over).is_pending());
    while (probe.wakes == 0) co_await yield();
  }
  EXPECT_EQ(probe.references, 0);
}

TEST(Sleep, DroppedAtAnyPointLeavesTheWheel) {
  Executor executor;
  as_task(executor, [&] { return drop_sleeps(executor); });
}

Async<> poll_twice() {
  Probe before;
  Probe after;
  Sleep sleep = sleep_until(in(milliseconds{1}));
  EXPECT_TRUE(before.poll(sleep).is_pending());
  EXPECT_TRUE(after.poll(sleep).is_pending());
  while (after.wakes == 0) co_await yield();
  EXPECT_EQ(before.wakes, 0);
  EXPECT_EQ(before.references, 0);
  EXPECT_TRUE(after.poll(sleep).is_ready());
  EXPECT_EQ(after.references, 0);
}

TEST(Sleep, WakesTheTaskThatPolledLast) {
  Executor executor;
  as_task(executor, [&] { return poll_twice(); });
}

TEST(Sleep, NeedsAnExecutor) {
  const FaultsThrow faults_throw;
  Probe probe;
  Sleep sleep = sleep_until(io::never);
  EXPECT_THROW(static_cast<void>(probe.poll(sleep)), test::Fault);
}

Async<> poll_after_the_end() {
  const FaultsThrow faults_throw;
  Probe probe;
  Sleep sleep = sleep_until(io::TimePoint{});
  EXPECT_TRUE(probe.poll(sleep).is_pending());
  while (probe.wakes == 0) co_await yield();
  EXPECT_TRUE(probe.poll(sleep).is_ready());
  EXPECT_THROW(static_cast<void>(probe.poll(sleep)), test::Fault);
}

TEST(Sleep, RefusesPollsAfterCompletion) {
  Executor executor;
  as_task(executor, [] { return poll_after_the_end(); });
}

Async<> poll_a_timeout_after_the_end() {
  const FaultsThrow faults_throw;
  Probe probe;
  auto in_time = timeout(io::never, [] { return yield(); });
  EXPECT_TRUE(probe.poll(in_time).is_pending());
  EXPECT_TRUE(probe.poll(in_time).is_ready());
  EXPECT_THROW(static_cast<void>(probe.poll(in_time)), test::Fault);
  co_return;
}

TEST(Timeout, RefusesPollsAfterCompletion) {
  Executor executor;
  as_task(executor, [] { return poll_a_timeout_after_the_end(); });
}

TEST(Yield, IsPendingOnceAndRefusesPollsAfterCompletion) {
  const FaultsThrow faults_throw;
  Probe probe;
  Yield once = yield();
  EXPECT_TRUE(probe.poll(once).is_pending());
  EXPECT_EQ(probe.wakes, 1);
  EXPECT_TRUE(probe.poll(once).is_ready());
  EXPECT_THROW(static_cast<void>(probe.poll(once)), test::Fault);
}

}  // namespace
}  // namespace stackless
