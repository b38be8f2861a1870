// SPDX-License-Identifier: BSL-1.0
#include "stackless/executor.hpp"

#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::Trace;

/// Polled `polls` times in all, woken by itself in between.
auto repeat(int polls, Trace& trace, std::string name) {
  return poll_fn([=, &trace](Context& context) mutable -> Poll<> {
    trace.push_back(name);
    if (--polls == 0) return ready;
    context.waker().wake_by_ref();
    return pending;
  });
}

/// Pending for ever; leaves its waker behind.
auto wait_for_ever(Waker& waker, Trace& trace, std::string name) {
  return poll_fn([=, &waker, &trace](Context& context) -> Poll<> {
    trace.push_back(name);
    waker.clone_from(context.waker());
    return pending;
  });
}

/// Done at its second poll; leaves its waker behind.
auto wait_once(Waker& waker, Trace& trace, std::string name) {
  return poll_fn([=, &waker, &trace, first = true](Context& context) mutable -> Poll<> {
    trace.push_back(name);
    if (!std::exchange(first, false)) return ready;
    waker.clone_from(context.waker());
    return pending;
  });
}

auto do_once(auto what) {
  return poll_fn([what](Context&) -> Poll<> {
    what();
    return ready;
  });
}

TEST(Executor, RunsNothingBeforeRun) {
  Executor executor;
  Trace trace;
  ASSERT_FALSE(executor.spawn([&] { return repeat(1, trace, "a"); }));
  EXPECT_TRUE(trace.empty());
  EXPECT_EQ(executor.live_tasks(), 1U);
  executor.run();
  EXPECT_EQ(trace, (Trace{"a"}));
  EXPECT_EQ(executor.live_tasks(), 0U);
}

TEST(Executor, PollsInTheOrderOfWaking) {
  Executor executor;
  Trace trace;
  ASSERT_FALSE(executor.spawn([&] { return repeat(3, trace, "a"); }));
  ASSERT_FALSE(executor.spawn([&] { return repeat(2, trace, "b"); }));
  ASSERT_FALSE(executor.spawn([&] { return repeat(3, trace, "c"); }));
  executor.run();
  EXPECT_EQ(trace, (Trace{"a", "b", "c", "a", "b", "c", "a", "c"}));
}

TEST(Executor, WakingOnlyQueues) {
  Executor executor;
  Trace trace;
  Waker sleeper;
  ASSERT_FALSE(executor.spawn([&] { return wait_once(sleeper, trace, "sleeper"); }));
  ASSERT_FALSE(executor.spawn([&] {
    return do_once([&] {
      trace.push_back("wakes");
      sleeper.wake_by_ref();
      trace.push_back("goes on");
    });
  }));
  ASSERT_FALSE(executor.spawn([&] { return repeat(1, trace, "was there first"); }));
  executor.run();
  EXPECT_EQ(trace, (Trace{"sleeper", "wakes", "goes on", "was there first", "sleeper"}));
}

TEST(Executor, WakesBeforeThePollMelt) {
  Executor executor;
  Trace trace;
  Waker sleeper;
  ASSERT_FALSE(executor.spawn([&] { return wait_once(sleeper, trace, "sleeper"); }));
  ASSERT_FALSE(executor.spawn([&] {
    return do_once([&] {
      for (int i = 0; i < 3; ++i) sleeper.wake_by_ref();
      sleeper.clone().wake();
    });
  }));
  executor.run();
  EXPECT_EQ(trace, (Trace{"sleeper", "sleeper"}));
}

TEST(Executor, AWakeDuringThePollIsNotLost) {
  Executor executor;
  int polls = 0;
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      if (++polls == 2) return ready;
      std::thread{[waker = context.waker().clone()]() mutable {
        waker.wake();
      }}.join();
      return pending;
    });
  }));
  executor.run();
  EXPECT_EQ(polls, 2);
}

TEST(Executor, SpuriousWakesAreLegal) {
  Executor executor;
  Event event{executor};
  Waker task;
  int polls = 0;
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) {
      ++polls;
      task.clone_from(context.waker());
      return event.poll_wait(context);
    });
  }));
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&, left = 5](Context& context) mutable -> Poll<> {
      if (left-- == 0) {
        event.set();
        return ready;
      }
      task.wake_by_ref();
      context.waker().wake_by_ref();
      return pending;
    });
  }));
  executor.run();
  EXPECT_EQ(polls, 7);
}

TEST(Executor, AWakerKeepsTheMemoryNotTheFuture) {
  Executor executor;
  int alive = 0;
  Waker kept;
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&kept, counted = Counted{alive}](Context& context) -> Poll<> {
      kept = context.waker().clone();
      return ready;
    });
  }));
  EXPECT_EQ(alive, 1);
  executor.run();
  EXPECT_EQ(alive, 0);
  kept.wake_by_ref();
  kept.wake();
}

TEST(Executor, TasksSpawnTasks) {
  Executor executor;
  Trace trace;
  ASSERT_FALSE(executor.spawn([&] {
    return do_once([&] {
      EXPECT_FALSE(Executor::current().spawn([&] { return repeat(1, trace, "child"); }));
      trace.push_back("parent");
    });
  }));
  executor.run();
  EXPECT_EQ(trace, (Trace{"parent", "child"}));
}

TEST(Executor, RunsAgain) {
  Executor executor;
  Trace trace;
  executor.run();
  for (const char* name : {"a", "b"}) {
    ASSERT_FALSE(executor.spawn([&] { return repeat(1, trace, name); }));
    executor.run();
  }
  EXPECT_EQ(trace, (Trace{"a", "b"}));
}

TEST(Executor, RefusesWorkersItCannotHave) {
  for (const unsigned workers : {0U, 2U}) {
    EXPECT_THROW(Executor{Options{.workers = workers}}, std::system_error);
  }
}

TEST(Executor, SaysWhenThereIsNoneCurrent) {
  const test::FaultsThrow faults_throw;
  EXPECT_THROW(Executor::current(), test::Fault);
}

TEST(Executor, ExecutorsNest) {
  Executor outer;
  Trace trace;
  ASSERT_FALSE(outer.spawn([&] {
    return do_once([&] {
      Executor inner;
      EXPECT_FALSE(inner.spawn([&] { return repeat(2, trace, "inner"); }));
      inner.run();
      EXPECT_TRUE(outer.is_current());
    });
  }));
  ASSERT_FALSE(outer.spawn([&] { return repeat(1, trace, "outer"); }));
  outer.run();
  EXPECT_EQ(trace, (Trace{"inner", "inner", "outer"}));
}

// ---- what cannot be spawned

TEST(Spawn, WithoutMemoryCreatesNothing) {
  Executor executor;
  const auto make = []() -> Yield {
    throw std::bad_alloc{};
  };
  EXPECT_EQ(executor.spawn(make), std::errc::not_enough_memory);
  EXPECT_EQ(executor.live_tasks(), 0U);
  executor.run();
}

TEST(Spawn, PassesOnWhatTheFactoryThrows) {
  Executor executor;
  const auto make = []() -> Yield {
    throw std::logic_error{"no"};
  };
  EXPECT_THROW(static_cast<void>(executor.spawn(make)), std::logic_error);
  EXPECT_EQ(executor.live_tasks(), 0U);
  executor.run();
}

struct SpawnsWhenDropped : Immovable {
  using Output = void;
  std::error_code* result;
  ~SpawnsWhenDropped() {
    *result = Executor::current().spawn([] { return yield(); });
  }
  static Poll<void> poll(Context&) { return pending; }
};

TEST(Spawn, IsRefusedWhileTheExecutorIsDestroyed) {
  std::error_code result;
  {
    Executor executor;
    ASSERT_FALSE(executor.spawn([&] { return SpawnsWhenDropped{{}, &result}; }));
  }
  EXPECT_EQ(result, std::errc::operation_canceled);
}

// ---- destruction of the executor

TEST(Teardown, DropsTheFuturesOfTasksInAnyPhase) {
  int alive = 0;
  Trace trace;
  Waker idle;
  Waker scheduled;
  {
    Executor executor;
    const auto held = [&](Waker& waker, std::string name) {
      return poll_fn([&, name, counted = Counted{alive}](Context& context) -> Poll<> {
        trace.push_back(name);
        waker.clone_from(context.waker());
        return pending;
      });
    };
    ASSERT_FALSE(executor.spawn([&] { return held(idle, "idle"); }));
    ASSERT_FALSE(executor.spawn([&] { return held(scheduled, "scheduled"); }));
    ASSERT_FALSE(executor.spawn([&] { return do_once([&] { executor.stop(); }); }));
    executor.run();
    ASSERT_FALSE(executor.spawn([&] { return held(idle, "never polled"); }));
    EXPECT_EQ(executor.live_tasks(), 3U);
    ASSERT_FALSE(executor.spawn([&] {
      return do_once([&] {
        scheduled.wake_by_ref();
        executor.stop();
      });
    }));
    executor.run();
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(trace, (Trace{"idle", "scheduled", "never polled", "scheduled"}));
  idle.wake_by_ref();  // outlives the executor
  std::thread{[waker = scheduled.clone()]() mutable {
    waker.wake();
  }}.join();
}

TEST(Teardown, StopFromAnotherThreadEndsAWait) {
  Executor executor;
  Trace trace;
  Waker waker;
  ASSERT_FALSE(executor.spawn([&] { return wait_for_ever(waker, trace, "waits"); }));
  std::jthread stopper;
  ASSERT_FALSE(executor.spawn([&] {
    return do_once([&] {
      stopper = std::jthread{[&] {
        executor.stop();
      }};
    });
  }));
  executor.run();
  EXPECT_EQ(executor.live_tasks(), 1U);
}

/// A future whose destruction wakes others.
struct WakesWhenDropped : Immovable {
  using Output = void;
  Waker* other;
  ~WakesWhenDropped() { other->wake(); }
  static Poll<void> poll(Context&) { return pending; }
};

TEST(Teardown, PollsNobodyWhoIsWokenByIt) {
  Trace trace;
  Waker other;
  {
    Executor executor;
    ASSERT_FALSE(executor.spawn([&] { return WakesWhenDropped{{}, &other}; }));
    ASSERT_FALSE(executor.spawn([&] { return wait_for_ever(other, trace, "polled"); }));
    ASSERT_FALSE(executor.spawn([&] { return do_once([&] { executor.stop(); }); }));
    executor.run();
  }
  EXPECT_EQ(trace, (Trace{"polled"}));
}

// ---- fairness

TEST(Fairness, OtherThreadsAreHeardWithinThePollBudget) {
  Executor executor;
  Event event{executor};
  unsigned polls = 0;
  ASSERT_FALSE(executor.spawn([&] { return event.wait(); }));
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      if (polls++ == 0)
        std::thread{[&] {
          event.set();
        }}.join();
      context.waker().wake_by_ref();
      return executor.live_tasks() == 1 ? ready : Poll<>{pending};
    });
  }));
  executor.run();
  EXPECT_LE(polls, io::poll_budget + 2);
}

/// Always ready: it sets the event that it awaits.
Async<> be_greedy(Event& event, int rounds, Trace& trace) {
  for (int round = 0; round < rounds; ++round) {
    event.set();
    co_await event.wait();
  }
  trace.push_back("greedy ends");
}

TEST(Fairness, ATaskThatIsAlwaysReadyTakesTurns) {
  Executor executor;
  Event event{executor};
  Trace trace;
  constexpr int turns = 3;
  ASSERT_FALSE(executor.spawn([&] { return be_greedy(event, turns * 128, trace); }));
  ASSERT_FALSE(executor.spawn([&] { return repeat(turns, trace, "other"); }));
  executor.run();
  static_assert(operation_budget == 128);
  EXPECT_EQ(trace, (Trace{"other", "other", "greedy ends", "other"}));
}

}  // namespace
}  // namespace stackless
