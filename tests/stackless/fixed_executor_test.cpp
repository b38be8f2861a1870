// SPDX-License-Identifier: BSL-1.0
#include "stackless/fixed_executor.hpp"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <utility>

#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::Trace;
using Small = FixedExecutor<3, 128>;

auto steps(Trace& trace, const std::string& name, int polls) {
  return poll_fn([&trace, name, polls](Context& context) mutable -> Poll<> {
    trace.push_back(name);
    if (--polls == 0) return ready;
    context.waker().wake_by_ref();
    return pending;
  });
}

TEST(FixedExecutor, PollsInTheOrderOfWakingEachOnce) {
  Small executor;
  Trace trace;
  ASSERT_TRUE(executor.spawn([&] { return steps(trace, "a", 2); }));
  ASSERT_TRUE(executor.spawn([&] { return steps(trace, "b", 3); }));
  EXPECT_TRUE(trace.empty());
  EXPECT_TRUE(executor.poll_woken());
  EXPECT_EQ(trace, (Trace{"a", "b"}));
  while (executor.poll_woken()) {
  }
  EXPECT_EQ(trace, (Trace{"a", "b", "a", "b", "b"}));
  EXPECT_EQ(executor.live_tasks(), 0U);
}

TEST(FixedExecutor, DropsItsFutures) {
  int alive = 0;
  {
    Small executor;
    const auto counted = [&] {
      return poll_fn([counted = Counted{alive}](Context&) -> Poll<> { return pending; });
    };
    ASSERT_TRUE(executor.spawn(counted));
    EXPECT_TRUE(executor.poll_woken());
    ASSERT_TRUE(executor.spawn(counted));
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

TEST(FixedExecutor, KeepsASlotAsLongAsItsWaker) {
  Small executor;
  Waker kept;
  Trace trace;
  ASSERT_TRUE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      kept = context.waker().clone();
      return ready;
    });
  }));
  EXPECT_TRUE(executor.poll_woken());
  for (const bool fits : {true, true, false}) {
    EXPECT_EQ(executor.spawn([&] { return steps(trace, "a", 1); }), fits);
  }
  kept.wake();
  EXPECT_TRUE(executor.poll_woken()) << "in vain for the ended one";
  EXPECT_EQ(trace, (Trace{"a", "a"}));
  EXPECT_TRUE(executor.spawn([&] { return steps(trace, "b", 1); }));
}

TEST(FixedExecutor, LosesNoWakeOfAnotherThread) {
  constexpr int rounds = 20'000;
  Small executor;
  std::atomic<int> asked{0};
  std::atomic<int> seen{0};
  Waker task;
  ASSERT_TRUE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      task.clone_from(context.waker());
      seen.store(asked.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return seen == rounds ? ready : Poll<>{pending};
    });
  }));
  EXPECT_TRUE(executor.poll_woken());
  std::jthread asker{[&, waker = task.clone()] {
    for (int round = 1; round <= rounds; ++round) {
      asked.store(round, std::memory_order_relaxed);
      waker.wake_by_ref();
      while (round % 64 == 0 && seen.load(std::memory_order_relaxed) < round) {
        std::this_thread::yield();
      }
    }
  }};
  while (executor.live_tasks() != 0) {
    if (!executor.poll_woken()) std::this_thread::yield();
  }
  task.reset();
  asker.join();
}

}  // namespace
}  // namespace stackless
