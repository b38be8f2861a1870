// SPDX-License-Identifier: BSL-1.0
// What the watchdog of a crew says of mobile tasks.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "stackless/coroutine.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/semaphore.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/watchdog_fixture.hpp"

namespace stackless {
namespace {

using test::Broken;
using test::Watchdog;

TEST_F(Watchdog, NamesMobileTasksWithAndWithoutAHandle) {
  SharedSemaphore semaphore{0};
  ParallelExecutor executor{{.workers = 1, .local = options(std::chrono::milliseconds{5})}};
  std::error_code error;
  const auto handle = executor.spawn_joinable([] { return Broken{}; }, error);
  ASSERT_FALSE(error);
  ASSERT_FALSE(executor.spawn([] { return Broken{}; }));
  ASSERT_FALSE(executor.spawn([&] { return semaphore.acquire(); }));
  on_report = [&] {
    if (named.size() == 2) executor.stop();
  };
  executor.run();
  EXPECT_EQ(named.size(), 2U);
}

Async<> take_a_turn(SharedSemaphore& semaphore, std::atomic<std::ptrdiff_t>& begun) {
  ++begun;
  const auto permit = co_await semaphore.acquire();
}

TEST_F(Watchdog, NamesNoMobileTaskWhoseHandleGoesMeanwhile) {
  constexpr std::ptrdiff_t tasks = 2000;
  SharedSemaphore semaphore{0};
  std::atomic<std::ptrdiff_t> begun{0};
  ParallelExecutor executor{{.workers = 1, .local = {.on_stuck = [](const TaskName&, Stuck) {
                                           }}}};
  std::vector<JoinHandle<void>> handles;
  for (std::ptrdiff_t i = 0; i != tasks; ++i) {
    std::error_code error;
    handles.push_back(
        executor.spawn_joinable([&] { return take_a_turn(semaphore, begun); }, error));
    ASSERT_FALSE(error);
  }
  std::thread runs{[&] {
    executor.run();
  }};
  std::atomic<bool> all_gone{false};
  std::thread detaches{[&] {
    while (begun != tasks) std::this_thread::yield();
    handles.clear();
    all_gone = true;
  }};
  std::size_t found = 0;
  while (!all_gone) found += executor.look_for_stuck_tasks();
  detaches.join();
  semaphore.release();
  runs.join();
  EXPECT_EQ(found, 0U);
}

TEST_F(Watchdog, SpawnsWhereItNamesAMobileTask) {
  ParallelExecutor executor{{.workers = 1, .local = options({})}};
  on_report = [&] {
    EXPECT_FALSE(executor.spawn([] { return yield(); }));
  };
  ASSERT_FALSE(executor.spawn([] { return Broken{}; }));
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&, polls = 0](Context& context) mutable -> Poll<> {
      if (++polls == 1) {
        context.waker().wake_by_ref();
        return pending;
      }
      EXPECT_EQ(executor.look_for_stuck_tasks(), 1U);
      executor.stop();
      return ready;
    });
  }));
  executor.run();
  EXPECT_EQ(named.size(), 1U);
}

}  // namespace
}  // namespace stackless
