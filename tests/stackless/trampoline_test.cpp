// SPDX-License-Identifier: BSL-1.0
// Compiled without optimisation in every preset: a stack that grows with each await shows here
// first.
#include <gtest/gtest.h>
#include <utility>

#include "stackless/coroutine.hpp"
#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Probe;

constexpr long many = 3'000'000;

Async<long> one() {
  co_return 1;
}

Async<long> await_children() {
  long sum = 0;
  for (long i = 0; i < many; ++i) sum += co_await one();
  co_return sum;
}

TEST(Trampoline, MillionsOfChildrenCompleteAtOnce) {
  Probe probe;
  Async<long> future = await_children();
  EXPECT_EQ(probe.poll(future).take(), many);
}

Async<long> await_futures() {
  long sum = 0;
  for (long i = 0; i < many; ++i) {
    sum += co_await poll_fn([](Context&) -> Poll<long> { return 1; });
  }
  co_return sum;
}

TEST(Trampoline, MillionsOfFuturesCompleteAtOnce) {
  Probe probe;
  Async<long> future = await_futures();
  EXPECT_EQ(probe.poll(future).take(), many);
}

/// Where the worker's stack is while the innermost of `depth` coroutines runs.
Async<const void*> stack_at(int depth) {
  if (depth == 0) co_return __builtin_frame_address(0);
  co_return co_await stack_at(depth - 1);
}

const void* worker_stack(int depth) {
  Probe probe;
  Async<const void*> future = stack_at(depth);
  return probe.poll(future).take();
}

TEST(Trampoline, DepthUsesNoStack) {
  const void* const shallow = worker_stack(1);
  EXPECT_EQ(worker_stack(1000), shallow);
}

Async<long> suspend_deep(int depth) {
  if (depth == 0) {
    co_await poll_fn([first = true](Context&) mutable -> Poll<> {
      return std::exchange(first, false) ? Poll<>{pending} : ready;
    });
    co_return 0;
  }
  co_return 1 + co_await suspend_deep(depth - 1);
}

TEST(Trampoline, GoesOnAtTheBottomOfADeepChain) {
  constexpr int depth = 10'000;
  Probe probe;
  Async<long> future = suspend_deep(depth);
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), depth);
}

TEST(Trampoline, ADeepChainCanBeDropped) {
  Probe probe;
  Async<long> future = suspend_deep(10'000);
  EXPECT_TRUE(probe.poll(future).is_pending());
}

}  // namespace
}  // namespace stackless
