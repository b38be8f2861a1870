// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

#include "stackful/overflow.hpp"
#include "stackful/scheduler.hpp"
#include "tests/stackful/child.hpp"
#include "tests/stackful/deep_calls.hpp"
#include "tests/stackful/overflow_fixture.hpp"

namespace {

using stackful::Canary;
using stackful::Guard;
using stackful::Scheduler;
using stackful::Stack;
using stackful::StackPool;

TEST(Canary, LivesWhileCallsFitAndDiesOfAnOverflow) {
  StackPool pool{{.guard = Guard::none, .colouring = false}};
  std::error_code error;
  const Stack below = pool.take(error);
  const Stack stack = pool.take(error);
  ASSERT_FALSE(error) << error.message();
  const Canary canary{stack};
  stack.lowest[Canary::bytes] = std::byte{1};
  EXPECT_TRUE(canary.is_alive());
  below.top[-1] = std::byte{1};  // the neighbour's own business
  EXPECT_TRUE(canary.is_alive());
  stack.lowest[Canary::bytes - 1] = std::byte{1};
  EXPECT_FALSE(canary.is_alive());
}

// The neighbour below is never run again: its control block has been written over.
TEST(Canary, FindsAnUnguardedFibersOverflowAfterwards) {
  for (const std::size_t levels : {4U, 24U}) {
    expect_exit(status_of_child([levels] {
                  Scheduler scheduler{{.stack_bytes = 16 * 1024, .guard = Guard::none}};
                  if (scheduler.spawn([&] { scheduler.park(); })) std::_Exit(2);
                  if (scheduler.spawn([&] {
                        const Canary canary{scheduler.running().stack()};
                        static_cast<void>(descend(levels));
                        const bool alive = canary.is_alive();
                        std::_Exit(alive == (levels == 4) ? found : found_something_else);
                      })) {
                    std::_Exit(2);
                  }
                  scheduler.run();
                }),
                found);
  }
}

}  // namespace
