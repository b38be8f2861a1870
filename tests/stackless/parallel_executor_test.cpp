// SPDX-License-Identifier: BSL-1.0
#include "stackless/parallel_executor.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <stdexcept>
#include <thread>

#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "stackless/notify.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::FaultsThrow;

Async<> yield_often(int yields, std::atomic<int>& done) {
  for (int i = 0; i < yields; ++i) co_await yield();
  ++done;
}

TEST(ParallelExecutor, RunsAllTasks) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const bool stealing : {true, false}) {
      ParallelExecutor executor{{.workers = workers, .stealing = stealing}};
      std::atomic<int> done{0};
      for (int task = 0; task < 1000; ++task) {
        ASSERT_FALSE(executor.spawn([&] { return yield_often(task % 10, done); }));
      }
      EXPECT_EQ(executor.live_tasks(), 1000U);
      executor.run();
      EXPECT_EQ(done, 1000);
      EXPECT_EQ(executor.live_tasks(), 0U);
    }
  }
}

TEST(ParallelExecutor, RefusesWorkersItCannotHave) {
  for (const unsigned workers : {0U, 65U}) {
    EXPECT_THROW((ParallelExecutor{{.workers = workers}}), std::system_error);
  }
}

Async<> open(std::latch& latch) {
  latch.count_down();
  co_return;
}

/// Keeps its worker until a task that waits in that worker's ring has run: on another worker.
Async<> wait_for_a_thief(ParallelExecutor& executor) {
  std::latch stolen{1};
  EXPECT_FALSE(executor.spawn([&] { return open(stolen); }));
  stolen.wait();
  co_return;
}

TEST(ParallelExecutor, IdleWorkersStealFromBusyOnes) {
  ParallelExecutor executor{{.workers = 2}};
  for (int round = 0; round < 50; ++round) {
    ASSERT_FALSE(executor.spawn([&] { return wait_for_a_thief(executor); }));
    executor.run();
  }
  EXPECT_GE(executor.steals(), 50U);
}

TEST(ParallelExecutor, StealsNothingWhenToldNotTo) {
  ParallelExecutor executor{{.workers = 2, .stealing = false}};
  std::atomic<int> done{0};
  ASSERT_FALSE(executor.spawn([&]() -> Async<> {
    return [](ParallelExecutor& on, std::atomic<int>& count) -> Async<> {
      for (int task = 0; task < 1000; ++task) {
        EXPECT_FALSE(on.spawn([&] { return yield_often(3, count); }));
      }
      co_return;
    }(executor, done);
  }));
  executor.run();
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(executor.steals(), 0U);
}

// ---- joining

Async<int> fibonacci(ParallelExecutor& executor, int n) {
  if (n < 2) co_return n;
  std::error_code error;
  auto left = executor.spawn_joinable([&] { return fibonacci(executor, n - 1); }, error);
  EXPECT_FALSE(error);
  const int right = co_await fibonacci(executor, n - 2);
  co_return (co_await left.join()).take() + right;
}

Async<> expect_fibonacci(ParallelExecutor& executor, int n, int expected) {
  EXPECT_EQ(co_await fibonacci(executor, n), expected);
}

TEST(ParallelExecutor, TasksJoinTasks) {
  ParallelExecutor executor{{.workers = 3}};
  ASSERT_FALSE(executor.spawn([&] { return expect_fibonacci(executor, 16, 987); }));
  executor.run();
}

Async<> fails() {
  co_await yield();
  throw std::runtime_error{"failed"};
}

Async<> expect_failure(JoinHandle<void>& handle) {
  EXPECT_THROW((co_await handle.join()).take(), std::runtime_error);
}

TEST(ParallelExecutor, ALocalTaskJoinsAMobileOne) {
  ParallelExecutor parallel{{.workers = 2}};
  std::error_code error;
  auto handle = parallel.spawn_joinable([] { return fails(); }, error);
  ASSERT_FALSE(error);
  std::jthread running{[&] {
    parallel.run();
  }};
  Executor local;
  ASSERT_FALSE(local.spawn([&] { return expect_failure(handle); }));
  local.run();
}

Async<> wait_for(SharedNotify& notify, test::Counted) {
  co_await notify.notified();
}

Async<> abort_and_join(ParallelExecutor& executor, SharedNotify& never, bool let_it_begin) {
  int alive = 0;
  std::error_code error;
  auto handle =
      executor.spawn_joinable([&] { return wait_for(never, test::Counted{alive}); }, error);
  EXPECT_FALSE(error);
  if (let_it_begin) co_await yield();
  handle.abort();
  EXPECT_TRUE((co_await handle.join()).was_cancelled());
  EXPECT_EQ(alive, 0);
}

TEST(ParallelExecutor, AbortsTasks) {
  ParallelExecutor executor{{.workers = 2}};
  SharedNotify never;
  for (int round = 0; round < 100; ++round) {
    ASSERT_FALSE(executor.spawn([&] { return abort_and_join(executor, never, round % 2 == 0); }));
  }
  executor.run();
}

/// Ready with what counts; its waker stays behind.
auto output_counted(std::atomic<int>& alive, Waker& kept) {
  return poll_fn([&](Context& context) -> Poll<test::SharedCounted> {
    kept = context.waker().clone();
    return test::SharedCounted{alive};
  });
}

TEST(ParallelExecutor, DropsAnOutputThatNobodyJoins) {
  ParallelExecutor executor{{.workers = 1}};
  std::atomic<int> alive{0};
  Waker spawned;
  Waker detached;
  Waker ended;
  Waker joined;
  std::error_code error;
  ASSERT_FALSE(executor.spawn([&] { return output_counted(alive, spawned); }));
  executor.spawn_joinable([&] { return output_counted(alive, detached); }, error).detach();
  auto to_detach = executor.spawn_joinable([&] { return output_counted(alive, ended); }, error);
  auto to_join = executor.spawn_joinable([&] { return output_counted(alive, joined); }, error);
  executor.run();
  EXPECT_EQ(alive, 2) << "those with a handle";
  to_detach.detach();
  EXPECT_EQ(alive, 1);
  {
    test::Probe probe;
    auto joining = to_join.join();
    EXPECT_TRUE(probe.poll(joining).take().has_value());
  }
  EXPECT_EQ(alive, 0) << "and the wakers are still there";
}

TEST(ParallelExecutor, DropsAnOutputOnceThatIsLeftWhenItComes) {
  for (int round = 0; round < 500; ++round) {
    ParallelExecutor executor{{.workers = 1}};
    std::atomic<int> alive{0};
    Waker kept;
    std::error_code error;
    auto handle = executor.spawn_joinable([&] { return output_counted(alive, kept); }, error);
    std::jthread leaving{[&] {
      handle.detach();
    }};
    executor.run();
    leaving.join();
    ASSERT_EQ(alive, 0);
  }
}

// ---- what belongs to one thread

Async<> sleeps() {
  co_await sleep_until(io::never);
}

Async<> expect_fault(JoinHandle<void>& handle) {
  Outcome<void> outcome = co_await handle.join();
  EXPECT_THROW(outcome.take(), test::Fault);
}

TEST(ParallelExecutor, RefusesFuturesThatBelongToOneThread) {
  const FaultsThrow faults_throw;
  ParallelExecutor executor{{.workers = 2}};
  std::error_code error;
  auto handle = executor.spawn_joinable([] { return sleeps(); }, error);
  ASSERT_FALSE(executor.spawn([&] { return expect_fault(handle); }));
  executor.run();
}

Async<> sleep_a_little(std::atomic<int>& done) {
  co_await sleep_until(io::Clock::now() + std::chrono::milliseconds{2});
  ++done;
}

Async<> spawn_on_the_worker(std::atomic<int>& done) {
  EXPECT_FALSE(Executor::current().spawn([&] { return sleep_a_little(done); }));
  co_return;
}

TEST(ParallelExecutor, WaitsForWhatItsTasksHaveSpawnedOnTheirWorkers) {
  ParallelExecutor executor{{.workers = 2}};
  std::atomic<int> done{0};
  for (int task = 0; task < 10; ++task) {
    ASSERT_FALSE(executor.spawn([&] { return spawn_on_the_worker(done); }));
  }
  executor.run();
  EXPECT_EQ(done, 10);
}

}  // namespace
}  // namespace stackless
