// SPDX-License-Identifier: BSL-1.0
#include "stackless/fixed_executor.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "stackless/poll_fn.hpp"
#include "stackless/scope_guard.hpp"
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

/// A future that calls `what` when it is dropped, and says how many of its kind are alive.
auto when_dropped(int& alive, bool ready_at_once, auto what) {
  return finally(
      [&alive, ready_at_once] {
        return poll_fn([counted = Counted{alive}, ready_at_once](Context&) -> Poll<> {
          return ready_at_once ? ready : Poll<>{pending};
        });
      },
      what);
}

TEST(FixedExecutor, GivesNoSlotTwice) {
  FixedExecutor<2, 256> executor;
  int alive = 0;
  Trace trace;
  const auto spawn_another = [&](std::string name, bool fits) {
    EXPECT_EQ(executor.spawn([&] { return steps(trace, name, 1); }), fits) << name;
  };
  ASSERT_TRUE(executor.spawn([&] {
    spawn_another("from a factory", true);
    spawn_another("from a factory, too many", false);
    return when_dropped(alive, true, [&] { spawn_another("from a clean-up", true); });
  }));
  EXPECT_TRUE(executor.poll_woken());
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(executor.poll_woken());
  EXPECT_EQ(executor.live_tasks(), 0U);
  EXPECT_EQ(trace, (Trace{"from a factory", "from a clean-up"}));
}

TEST(FixedExecutor, MakesNothingWhileItIsDestroyed) {
  int alive = 0;
  {
    Small executor;
    const auto another = [&] {
      EXPECT_FALSE(executor.spawn([&] { return when_dropped(alive, false, [] {}); }));
    };
    for (int task = 0; task < 2; ++task) {
      ASSERT_TRUE(executor.spawn([&] { return when_dropped(alive, false, another); }));
    }
  }
  EXPECT_EQ(alive, 0);
}

TEST(FixedExecutor, KeepsNoSlotForAFactoryThatThrows) {
  FixedExecutor<1, 128> executor;
  Trace trace;
  const auto spawn_or_throw = [&](bool fail) {
    return executor.spawn([&] {
      if (fail) throw std::runtime_error{"no future"};
      return steps(trace, "a", 1);
    });
  };
  EXPECT_THROW(static_cast<void>(spawn_or_throw(true)), std::runtime_error);
  EXPECT_EQ(executor.live_tasks(), 0U);
  EXPECT_TRUE(spawn_or_throw(false));
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
