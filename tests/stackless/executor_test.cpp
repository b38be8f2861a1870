// SPDX-License-Identifier: BSL-1.0
#include "stackless/executor.hpp"

#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/leaf_futures.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::do_once;
using test::FaultsThrow;
using test::repeat;
using test::Trace;
using test::wait_once;

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

}  // namespace
}  // namespace stackless
