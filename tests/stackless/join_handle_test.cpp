// SPDX-License-Identifier: BSL-1.0
#include "stackless/join_handle.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::FaultsThrow;
using test::Probe;
using test::Trace;

struct Joins : testing::Test {
  template <class Make>
  auto spawn(Make make) {
    std::error_code error;
    auto handle = executor.spawn_joinable(make, error);
    EXPECT_FALSE(error);
    EXPECT_TRUE(handle);
    return handle;
  }
  /// Runs the coroutine that `make` returns together with what has been spawned.
  template <class Make>
  void run(Make make) {
    ASSERT_FALSE(executor.spawn(make));
    executor.run();
    EXPECT_EQ(executor.live_tasks(), 0U);
  }

  int alive = 0;
  Executor executor;
  Event event{executor};
};

Async<std::unique_ptr<int>> answer(int yields) {
  for (int i = 0; i < yields; ++i) co_await yield();
  co_return std::make_unique<int>(42);
}

template <class T>
Async<> expect_answer(JoinHandle<T>& handle) {
  Outcome<T> outcome = co_await handle.join();
  EXPECT_TRUE(outcome.has_value());
  EXPECT_EQ(*outcome.take(), 42);
  EXPECT_FALSE(handle) << "joined";
}

TEST_F(Joins, TransportTheOutput) {
  for (const int yields : {0, 1, 10}) {
    auto handle = spawn([&] { return answer(yields); });
    run([&] { return expect_answer(handle); });
  }
}

TEST_F(Joins, AfterTheEndStillTransportTheOutput) {
  auto handle = spawn([] { return answer(0); });
  executor.run();
  run([&] { return expect_answer(handle); });
}

Async<> fails() {
  co_await yield();
  throw std::runtime_error{"failed"};
}

Async<> expect_failure(JoinHandle<void>& handle) {
  Outcome<void> outcome = co_await handle.join();
  EXPECT_FALSE(outcome.has_value());
  EXPECT_TRUE(outcome.error());
  EXPECT_THROW(outcome.take(), std::runtime_error);
}

TEST_F(Joins, TransportAnException) {
  auto handle = spawn([] { return fails(); });
  run([&] { return expect_failure(handle); });
}

Async<> wait_with(Event& event, Counted) {
  co_await event.wait();
}

Async<> abort_and_join(JoinHandle<void>& handle, int& alive, bool let_it_begin) {
  if (let_it_begin) co_await yield();
  EXPECT_EQ(alive, 1);
  handle.abort();
  EXPECT_EQ(alive, 0) << "dropped at once";
  Outcome<void> outcome = co_await handle.join();
  EXPECT_TRUE(outcome.was_cancelled());
  EXPECT_THROW(outcome.take(), TaskCancelled);
}

TEST_F(Joins, AbortDropsAnIdleFutureAtOnce) {
  auto handle = spawn([&] { return wait_with(event, Counted{alive}); });
  run([&] { return abort_and_join(handle, alive, true); });
}

TEST_F(Joins, AbortDropsAScheduledFutureAtOnce) {
  JoinHandle<void> handle;
  ASSERT_FALSE(executor.spawn([&] { return abort_and_join(handle, alive, false); }));
  handle = spawn([&] { return wait_with(event, Counted{alive}); });
  executor.run();
}

TEST_F(Joins, AFutureThatAbortsItselfIsDroppedAfterItsPoll) {
  JoinHandle<void> handle;
  handle = spawn([&] {
    return poll_fn([&, counted = Counted{alive}](Context& context) -> Poll<> {
      context.waker().wake_by_ref();
      handle.abort();
      EXPECT_EQ(alive, 1);
      return pending;
    });
  });
  executor.run();
  EXPECT_EQ(alive, 0);
}

TEST_F(Joins, AbortAfterTheEndChangesNothing) {
  auto handle = spawn([] { return answer(0); });
  executor.run();
  handle.abort();
  run([&] { return expect_answer(handle); });
}

Async<> expect_cancelled(JoinHandle<void>& handle) {
  EXPECT_TRUE((co_await handle.join()).was_cancelled());
}

TEST_F(Joins, AbortFromAnotherThreadWakesTheJoiner) {
  auto handle = spawn([&] { return wait_with(event, Counted{alive}); });
  std::jthread aborting;
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context&) -> Poll<> {
      aborting = std::jthread{[&] {
        handle.abort();
      }};
      return ready;
    });
  }));
  run([&] { return expect_cancelled(handle); });
  EXPECT_EQ(alive, 0);
}

Async<Counted> output_counted(int& alive) {
  co_await yield();
  co_return Counted{alive};
}

TEST_F(Joins, DetachedTheTaskGoesOnAndItsOutputIsDropped) {
  spawn([&] { return output_counted(alive); }).detach();
  {
    auto dropped = spawn([&] { return output_counted(alive); });
  }
  executor.run();
  EXPECT_EQ(alive, 0);
  auto late = spawn([&] { return output_counted(alive); });
  executor.run();
  EXPECT_EQ(alive, 1);
  late.detach();
  run([] { return yield(); });
  EXPECT_EQ(alive, 0);
}

TEST_F(Joins, AHandleOutlivesTheExecutor) {
  JoinHandle<Counted> ended;
  JoinHandle<void> never_ended;
  {
    Executor other;
    std::error_code error;
    ended = other.spawn_joinable([&] { return output_counted(alive); }, error);
    other.run();
    never_ended = other.spawn_joinable([&] { return wait_with(event, Counted{alive}); }, error);
  }
  EXPECT_EQ(alive, 1) << "the output";
  never_ended.abort();
  ended = {};
  EXPECT_EQ(alive, 0);
}

Async<> join_twice(JoinHandle<std::unique_ptr<int>>& handle) {
  const FaultsThrow faults_throw;
  Probe probe;
  {
    auto dropped = handle.join();
    EXPECT_TRUE(probe.poll(dropped).is_pending());
  }
  auto joining = handle.join();
  EXPECT_EQ(*(co_await joining).take(), 42);
  EXPECT_THROW(static_cast<void>(probe.poll(joining)), test::Fault);
}

TEST_F(Joins, ADroppedJoinCanBeRepeated) {
  auto handle = spawn([] { return answer(3); });
  run([&] { return join_twice(handle); });
}

TEST_F(Joins, AreRefusedOnOtherThreads) {
  const FaultsThrow faults_throw;
  Probe probe;
  auto handle = spawn([] { return answer(0); });
  auto joining = handle.join();
  EXPECT_THROW(static_cast<void>(probe.poll(joining)), test::Fault) << "outside run()";
  executor.run();
}

}  // namespace
}  // namespace stackless
