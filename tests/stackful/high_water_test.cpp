// SPDX-License-Identifier: BSL-1.0
#include "stackful/high_water.hpp"

#include <gtest/gtest.h>
#include <system_error>

#include "stackful/scheduler.hpp"
#include "tests/stackful/deep_calls.hpp"

namespace {

using stackful::Guard;
using stackful::HighWater;
using stackful::Recycling;
using stackful::Scheduler;
using stackful::Stack;
using stackful::StackPool;

constexpr std::size_t page = 4096;

void touch(const Stack& stack, std::size_t bytes_below_top) {
  *(stack.top - bytes_below_top) = std::byte{1};
}

Stack take(StackPool& pool) {
  std::error_code error;
  const Stack stack = pool.take(error);
  EXPECT_FALSE(error) << error.message();
  return stack;
}

HighWater by_pages(const Stack& stack) {
  std::error_code error;
  const HighWater found = stackful::high_water_by_pages(stack, error);
  EXPECT_FALSE(error) << error.message();
  return found;
}

TEST(HighWaterByPages, TellsTheDeepestPageAndWhatIsResident) {
  StackPool pool{{.colouring = false}};
  const Stack stack = take(pool);
  EXPECT_EQ(by_pages(stack).bytes, 0U);
  touch(stack, 1);
  EXPECT_EQ(by_pages(stack).bytes, page);
  touch(stack, 10 * page);
  EXPECT_EQ(by_pages(stack).bytes, 10 * page);
  EXPECT_EQ(by_pages(stack).resident_bytes, 2 * page);
}

TEST(HighWaterByPages, SumsOverAPool) {
  StackPool pool{{.stack_bytes = std::size_t{4} << 20, .colouring = false}};
  touch(take(pool), 1);
  touch(take(pool), 600 * page);  // more pages than one look at the kernel's answer holds
  take(pool);
  std::error_code error;
  const HighWater all = stackful::high_water_by_pages(pool, error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(all.bytes, 600 * page);
  EXPECT_EQ(all.resident_bytes, 2 * page);
}

TEST(HighWaterByPaint, IsExactToTheByte) {
  StackPool pool{{.painted = true}};
  const Stack stack = take(pool);
  EXPECT_EQ(stackful::high_water_by_paint(stack), 0U);
  touch(stack, 12'345);
  EXPECT_EQ(stackful::high_water_by_paint(stack), 12'345U);
  EXPECT_EQ(stackful::high_water_by_paint(pool), 12'345U);
}

TEST(HighWaterByPaint, AFibersCallsAreSeen) {
  Scheduler scheduler{{.painted = true}};
  ASSERT_FALSE(scheduler.spawn([] { EXPECT_EQ(descend(20), 20U); }));
  scheduler.run();
  const std::size_t used = stackful::high_water_by_paint(scheduler.stacks());
  EXPECT_GE(used, 21'000U);
  EXPECT_LE(used, 42'000U);
}

TEST(StackRecycling, KeepsDeepPagesOrGivesThemBack) {
  for (const Recycling recycling : {Recycling::keep, Recycling::trim}) {
    for (const Guard guard : {Guard::none, Guard::mprotect, stackful::lightest_guard()}) {
      StackPool pool{{.guard = guard, .recycling = recycling}};
      const Stack stack = take(pool);
      for (std::size_t depth = 1; depth < stack.bytes(); depth += page) touch(stack, depth);
      pool.give_back(stack);
      EXPECT_EQ(by_pages(stack).resident_bytes >= pool.stack_bytes(), recycling == Recycling::keep);
      if (recycling == Recycling::trim) {
        EXPECT_EQ(by_pages(stack).resident_bytes, page);
      }
      EXPECT_EQ(take(pool).top, stack.top);
    }
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t pages_a_sleeper = 2;  // sanitizers enlarge the frames
#else
constexpr std::size_t pages_a_sleeper = 1;
#endif

TEST(HighWaterByPages, ASleeperOfAnyColourCostsOnePage) {
  Scheduler scheduler{{}};
  for (int i = 0; i != 64; ++i) {
    ASSERT_FALSE(scheduler.spawn([&] { scheduler.yield(); }));
  }
  ASSERT_FALSE(scheduler.spawn([&] {
    std::error_code error;
    const HighWater all = stackful::high_water_by_pages(scheduler.stacks(), error);
    EXPECT_FALSE(error) << error.message();
    EXPECT_LE(all.resident_bytes, (64 * pages_a_sleeper + 4) * page);  // and what asks here
  }));
  scheduler.run();
}

TEST(StackPool, FindsWhoseStackOrGuardAnAddressIs) {
  for (const Guard guard : {Guard::none, Guard::mprotect}) {
    StackPool pool{{.stack_bytes = 4 * page, .guard = guard}};
    for (int i = 0; i != 300; ++i) take(pool);
    pool.for_each([&](const Stack& stack) {
      EXPECT_EQ(pool.find(stack.top - 1).top, stack.top);
      EXPECT_EQ(pool.find(stack.lowest).top, stack.top);
      if (guard != Guard::none) {
        EXPECT_EQ(pool.find(stack.lowest - 1).top, stack.top);
      }
    });
    const int elsewhere = 0;
    EXPECT_FALSE(pool.find(&elsewhere));
  }
}

}  // namespace
