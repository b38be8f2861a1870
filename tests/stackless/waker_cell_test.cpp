// SPDX-License-Identifier: BSL-1.0
#include "stackless/waker_cell.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "stackless/executor.hpp"
#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Probe;

void refresh(WakerCell& cell, Probe& probe) {
  auto store = poll_fn([&](Context& context) -> Poll<> {
    cell.refresh(context.waker());
    return ready;
  });
  EXPECT_TRUE(probe.poll(store).is_ready());
}

TEST(WakerCell, WakesWhomItHoldsOnce) {
  WakerCell cell;
  Probe probe;
  cell.wake();
  refresh(cell, probe);
  cell.wake();
  cell.wake();
  EXPECT_EQ(probe.wakes, 1);
  EXPECT_EQ(probe.references, 0);
}

TEST(WakerCell, HoldsTheLast) {
  WakerCell cell;
  Probe before;
  Probe after;
  refresh(cell, before);
  refresh(cell, before);
  EXPECT_EQ(before.clones, 1);
  refresh(cell, after);
  EXPECT_EQ(before.references, 0);
  cell.wake();
  EXPECT_EQ(before.wakes, 0);
  EXPECT_EQ(after.wakes, 1);
}

TEST(WakerCell, ResetForgets) {
  WakerCell cell;
  Probe probe;
  refresh(cell, probe);
  cell.reset();
  EXPECT_EQ(probe.references, 0);
  cell.wake();
  EXPECT_EQ(probe.wakes, 0);
}

TEST(WakerCell, LosesNoWakeOfAnotherThread) {
  constexpr unsigned rounds = 200'000;
  Executor executor;
  WakerCell cell;
  std::atomic<unsigned> asked{0};
  std::atomic<unsigned> seen{0};
  std::jthread asker{[&] {
    for (unsigned round = 1; round <= rounds; ++round) {
      asked.store(round, std::memory_order_relaxed);
      cell.wake();
      if (round % 64 != 0) continue;
      while (seen.load(std::memory_order_relaxed) < round) std::this_thread::yield();
    }
  }};
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      cell.refresh(context.waker());
      const unsigned now = asked.load(std::memory_order_relaxed);
      seen.store(now, std::memory_order_relaxed);
      return now == rounds ? ready : Poll<>{pending};
    });
  }));
  executor.run();
}

}  // namespace
}  // namespace stackless
