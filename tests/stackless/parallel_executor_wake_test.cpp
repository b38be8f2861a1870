// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "stackless/channel.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/notify.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/semaphore.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

// ---- wakes from everywhere

Async<> produce(SharedChannel<int>& to, int count) {
  for (int value = 0; value < count; ++value) EXPECT_TRUE(co_await to.send(value));
}

Async<> consume(SharedChannel<int>& from, std::atomic<long>& sum, int count) {
  for (int i = 0; i < count; ++i) sum += *(co_await from.receive());
}

TEST(ParallelExecutor, TasksMeetAtAChannel) {
  constexpr int pairs = 8;
  constexpr int count = 2000;
  ParallelExecutor executor{{.workers = 4}};
  SharedChannel<int> channel{4};
  std::atomic<long> sum{0};
  for (int pair = 0; pair < pairs; ++pair) {
    ASSERT_FALSE(executor.spawn([&] { return produce(channel, count); }));
    ASSERT_FALSE(executor.spawn([&] { return consume(channel, sum, count); }));
  }
  executor.run();
  EXPECT_EQ(sum, long{pairs} * count * (count - 1) / 2);
}

// ---- fairness

Async<> be_greedy(const std::atomic<bool>& over) {
  while (!over) co_await yield();
}

Async<> take_turns(SharedNotify& turn, int turns, std::atomic<int>& taken,
                   std::atomic<bool>& over) {
  for (int i = 0; i < turns; ++i) {
    co_await turn.notified();
    ++taken;
  }
  over = true;
}

/// There are more of the greedy than workers, so no ring is ever empty.
TEST(ParallelExecutor, GreedyTasksStarveNobodyWhoIsWokenFromOutside) {
  constexpr int turns = 200;
  ParallelExecutor executor{{.workers = 2}};
  SharedNotify turn;
  std::atomic<int> taken{0};
  std::atomic<bool> over{false};
  for (int task = 0; task < 8; ++task) {
    ASSERT_FALSE(executor.spawn([&] { return be_greedy(over); }));
  }
  ASSERT_FALSE(executor.spawn([&] { return take_turns(turn, turns, taken, over); }));
  const std::jthread outside{[&] {
    for (int given = 0; given < turns; ++given) {
      while (taken < given) std::this_thread::yield();
      turn.notify_one();
    }
  }};
  executor.run();
  EXPECT_EQ(taken, turns);
}

// ---- the end under load

Async<> never_end(test::SharedCounted, SharedSemaphore& semaphore) {
  while (true) {
    const auto permit = co_await semaphore.acquire();
    co_await yield();
  }
}

TEST(ParallelExecutor, EndsUnderLoadWithNothingLeft) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> alive{0};
    SharedSemaphore semaphore{3};
    std::vector<Waker> wakers(4);
    std::atomic<bool> over{false};
    std::optional<ParallelExecutor> executor{std::in_place, ParallelOptions{.workers = 3}};
    for (int task = 0; task < 100; ++task) {
      ASSERT_FALSE(
          executor->spawn([&] { return never_end(test::SharedCounted{alive}, semaphore); }));
    }
    std::atomic<int> out{0};
    for (Waker& waker : wakers) {
      ASSERT_FALSE(executor->spawn([&] {
        return poll_fn([&, counted = test::SharedCounted{alive},
                        given = false](Context& context) mutable -> Poll<> {
          if (!std::exchange(given, true)) {
            waker = context.waker().clone();
            ++out;
          }
          return pending;
        });
      }));
    }
    std::jthread running{[&] {
      executor->run();
    }};
    while (out != 4) std::this_thread::yield();
    std::jthread waking{[&] {
      while (!over) {
        for (const Waker& waker : wakers) waker.wake_by_ref();
      }
    }};
    executor->stop();
    running.join();
    executor.reset();
    EXPECT_EQ(alive, 0);
    over = true;
  }
}

TEST(ParallelExecutor, WaitsForAWakeThatIsUnderWay) {
  for (int round = 0; round < 200; ++round) {
    auto executor = std::make_unique<ParallelExecutor>(ParallelOptions{.workers = 2});
    std::atomic<bool> waits{false};
    Waker waker;
    ASSERT_FALSE(executor->spawn([&] {
      return poll_fn([&](Context& context) -> Poll<> {
        waker.clone_from(context.waker());
        waits = true;
        return pending;
      });
    }));
    std::thread running{[&] {
      executor->run();
    }};
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds{200});  // they park
    const std::jthread waking{[mine = waker.clone()]() mutable {
      mine.wake();
    }};
    if (round % 2 != 0) std::this_thread::yield();
    executor->stop();
    running.join();
    executor.reset();
  }
}

/// A local task whose future, when it is dropped, spawns on whichever executor `here` says.
struct SpawnsWhenDropped : Immovable {
  using Output = void;
  ParallelExecutor* executor;
  std::atomic<int>* refused;
  ~SpawnsWhenDropped() {
    const auto nothing = [] {
      return yield();
    };
    for (const std::error_code error : {executor->here().spawn(nothing), executor->spawn(nothing),
                                        executor->spawn_pinned(nothing)}) {
      if (error == std::errc::operation_canceled) ++*refused;
    }
  }
  static Poll<void> poll(Context&) { return pending; }
};

TEST(ParallelExecutor, IsWholeForWhatItsLocalTasksDrop) {
  constexpr int workers = 3;
  std::atomic<int> refused{0};
  std::latch all_have_one{workers};
  {
    ParallelExecutor executor{{.workers = workers}};
    for (int worker = 0; worker < workers; ++worker) {
      ASSERT_FALSE(executor.spawn([&] {
        return poll_fn([&](Context&) -> Poll<> {
          EXPECT_FALSE(Executor::current().spawn([&] {
            return SpawnsWhenDropped{{}, &executor, &refused};
          }));
          all_have_one.arrive_and_wait();
          executor.stop();
          return ready;
        });
      }));
    }
    executor.run();
    EXPECT_EQ(executor.live_local_tasks(), std::size_t{workers});
  }
  EXPECT_EQ(refused, 3 * workers);
}

}  // namespace
}  // namespace stackless
