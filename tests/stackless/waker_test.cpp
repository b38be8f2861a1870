// SPDX-License-Identifier: BSL-1.0
#include "stackless/waker.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "stackless/executor.hpp"
#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::Probe;

/// Clones a probe's waker as a future would.
Waker waker_of(Probe& probe) {
  Waker waker;
  auto take = poll_fn([&](Context& context) -> Poll<> {
    waker = context.waker().clone();
    return ready;
  });
  EXPECT_TRUE(probe.poll(take).is_ready());
  return waker;
}

TEST(Waker, EmptyDoesNothing) {
  Waker empty;
  EXPECT_FALSE(empty);
  empty.wake_by_ref();
  empty.wake();
  empty.reset();
  EXPECT_FALSE(empty.clone());
}

TEST(Waker, CountsReferences) {
  Probe probe;
  {
    Waker one = waker_of(probe);
    EXPECT_EQ(probe.references, 1);
    Waker moved = std::move(one);
    EXPECT_EQ(probe.references, 1);
    Waker two = moved.clone();
    EXPECT_EQ(probe.references, 2);
    two.wake_by_ref();
    EXPECT_EQ(probe.references, 2);
    two.wake();
    EXPECT_FALSE(two);
    EXPECT_EQ(probe.references, 1);
  }
  EXPECT_EQ(probe.references, 0);
  EXPECT_EQ(probe.wakes, 2);
}

TEST(Waker, CloneFromTouchesNothingForTheSameTask) {
  Probe probe;
  Probe other;
  const Waker one = waker_of(probe);
  Waker kept = one.clone();
  const int clones = probe.clones;
  EXPECT_TRUE(kept.will_wake(one));
  kept.clone_from(one);
  EXPECT_EQ(probe.clones, clones);
  const Waker another = waker_of(other);
  EXPECT_FALSE(kept.will_wake(another));
  kept.clone_from(another);
  EXPECT_EQ(probe.references, 1);
  EXPECT_EQ(other.references, 2);
}

// ---- of tasks: references come and go on several threads. The sanitizers see what is freed twice
// or not at all.

/// A task that hands out its waker and stays until it is woken.
auto hand_out(Waker& waker, Counted counted) {
  return poll_fn([&waker, counted, first = true](Context& context) mutable -> Poll<> {
    if (!std::exchange(first, false)) return ready;
    waker = context.waker().clone();
    return pending;
  });
}

struct Fixture : testing::Test {
  void spawn() {
    ASSERT_FALSE(executor->spawn([&] { return hand_out(waker, Counted{alive}); }));
  }
  /// Runs `body` as a task after those that have been spawned.
  template <class Body>
  void then(Body body) {
    ASSERT_FALSE(executor->spawn([&] {
      return poll_fn([body](Context&) mutable -> Poll<> {
        body();
        return ready;
      });
    }));
    executor->run();
  }

  int alive = 0;
  Waker waker;
  std::optional<Executor> executor{std::in_place};
};
using TaskWakers = Fixture;

TEST_F(TaskWakers, DroppedByAnotherThreadWithoutWaking) {
  spawn();
  then([&] {
    std::jthread{[unused = waker.clone()] {
    }};
    waker.wake_by_ref();
  });
  EXPECT_EQ(alive, 0);
}

TEST_F(TaskWakers, ClonedByAnotherThreadAndDroppedHere) {
  spawn();
  then([&] {
    Waker theirs;
    std::jthread{[&] {
      theirs = waker.clone();
    }}.join();
    theirs.wake();
    waker.reset();
  });
  EXPECT_EQ(alive, 0);
}

TEST_F(TaskWakers, OfAnEndedTaskAreDroppedByAnotherThread) {
  spawn();
  then([&] { waker.wake_by_ref(); });
  EXPECT_EQ(alive, 0);
  std::jthread{[last = std::move(waker)] {
  }};
  then([] {});
}

TEST_F(TaskWakers, OutliveTheExecutor) {
  spawn();
  then([&] { waker.wake_by_ref(); });
  executor.reset();
  Waker another = waker.clone();
  waker.wake();
  std::jthread{[last = std::move(another)]() mutable {
    last.wake();
  }};
}

TEST_F(TaskWakers, OfAnOrphanAreNotTakenForThoseOfTheNextExecutor) {
  spawn();
  then([&] { waker.wake_by_ref(); });
  executor.reset();
  executor.emplace();  // at the same address
  then([&] {
    waker.clone().wake();
    waker.reset();
  });
}

TEST_F(TaskWakers, AreClonedWokenAndDroppedByManyThreads) {
  for (int round = 0; round < 200; ++round) {
    spawn();
    std::vector<std::jthread> threads;
    then([&] {
      for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([mine = waker.clone()]() mutable {
          for (int i = 0; i < 20; ++i) {
            Waker another = mine.clone();
            if (i % 2 == 0) another.wake_by_ref();
            if (i % 3 == 0) mine = std::move(another);
          }
          mine.wake();
        });
      }
    });
    EXPECT_EQ(alive, 0);
    waker.reset();
    if (round % 10 == 9) executor.emplace();  // while the threads may be at it
  }
}

}  // namespace
}  // namespace stackless
