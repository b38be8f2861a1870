// SPDX-License-Identifier: BSL-1.0
#include "stackless/combinators.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "tests/stackless/combinators_fixture.hpp"

namespace stackless {
namespace {

using test::Combinators;
using test::Counted;
using test::FaultsThrow;
using test::Probe;
using test::Steps;
using test::Trace;

TEST_F(Combinators, MapAppliesToTheOutput) {
  auto future = map(steps("a", 1, 20), [](int value) { return std::to_string(value + 1); });
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), "21");
}

TEST_F(Combinators, MapWithoutInputOrOutput) {
  int called = 0;
  auto future = map([] { return yield(); }, [&] { ++called; });
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_TRUE(probe.poll(future).is_ready());
  EXPECT_EQ(called, 1);
}

TEST_F(Combinators, ThenMakesTheSecondOfTheFirstsOutput) {
  auto future = then(steps("a", 1, 3), [this](int polls) {
    trace.push_back("made");
    return Steps{trace, "b", polls, polls * 10};
  });
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), 30);
  EXPECT_EQ(trace, (Trace{"a", "a", "a gone", "made", "b", "b", "b", "b", "b gone"}));
}

TEST_F(Combinators, SequenceMakesEachWhenItsTurnComes) {
  auto future = sequence(steps("a", 0, 1), steps("b", 1, 2), steps("c", 0, 3));
  EXPECT_TRUE(trace.empty());
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), 3);
  EXPECT_EQ(trace, (Trace{"a", "a gone", "b", "b", "b gone", "c", "c gone"}));
}

TEST_F(Combinators, JoinWaitsForAllTogether) {
  auto future = join(steps("a", 2, 1), steps("b", 0, 2), [] { return yield(); });
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(trace, (Trace{"a", "b", "b gone"}));
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), (std::tuple{1, 2, Unit{}}));
  EXPECT_EQ(trace, (Trace{"a", "b", "b gone", "a", "a", "a gone"}));
}

TEST_F(Combinators, SelectDropsTheOthers) {
  auto future = select(steps("a", 5, 1), steps("b", 1, 2), steps("c", 0, 3));
  EXPECT_EQ(probe.poll(future).take().index(), 2U);
  EXPECT_EQ(trace, (Trace{"a", "b", "c", "c gone", "b gone", "a gone"}));
}

TEST_F(Combinators, SelectPrefersTheFirstInOrder) {
  auto future = select(steps("a", 1, 1), steps("b", 1, 2));
  EXPECT_TRUE(probe.poll(future).is_pending());
  const auto output = probe.poll(future).take();
  ASSERT_EQ(output.index(), 0U);
  EXPECT_EQ(std::get<0>(output), 1);
}

TEST_F(Combinators, FinallyCleansUpAfterTheFuture) {
  {
    auto future = finally(steps("a", 0, 7), [&] { trace.push_back("clean"); });
    EXPECT_EQ(probe.poll(future).take(), 7);
  }
  {
    auto never_polled = finally(steps("b", 0, 7), [&] { trace.push_back("clean"); });
  }
  EXPECT_EQ(trace, (Trace{"a", "a gone", "clean", "b gone", "clean"}));
}

TEST_F(Combinators, GuardsGoInReverseOrder) {
  {
    const ScopeGuard first{[&] {
      trace.push_back("first");
    }};
    const ScopeGuard second{[&] {
      trace.push_back("second");
    }};
  }
  EXPECT_EQ(trace, (Trace{"second", "first"}));
}

// ---- time

Async<> with_timeouts(Trace& trace) {
  const auto past = io::TimePoint{};
  const auto late = co_await timeout(past, [&] { return Steps{trace, "late", 1 << 30, 1}; });
  EXPECT_FALSE(late.has_value());
  EXPECT_EQ(trace.back(), "late gone");
  const auto prompt = co_await timeout(io::never, [&] { return Steps{trace, "prompt", 3, 1}; });
  EXPECT_EQ(prompt, 1);
  const auto tie = co_await timeout(past, [&] { return Steps{trace, "tie", 0, 1}; });
  EXPECT_EQ(tie, 1) << "the output wins";
}

TEST_F(Combinators, TimeoutDropsWhatIsLate) {
  Executor executor;
  ASSERT_FALSE(executor.spawn([&] { return with_timeouts(trace); }));
  executor.run();
  EXPECT_EQ(executor.reactor().timers().size(), 0U);
}

// ---- dropped wherever they stand, and polled too often

/// One of each, nested.
auto composite(int& alive) {
  const auto child = [&alive](int polls) {
    return [&alive, polls] {
      return poll_fn([counted = Counted{alive}, polls](Context& context) mutable -> Poll<int> {
        if (polls-- == 0) return 1;
        context.waker().wake_by_ref();
        return pending;
      });
    };
  };
  return sequence(
      [=] { return join(child(1), [=] { return map(child(2), [](int x) { return x; }); }); },
      [=] { return select(child(3), child(2)); },
      [=, &alive] {
        return finally([=] { return then(child(1), [=](int polls) { return child(polls)(); }); },
                       [counted = Counted{alive}] {});
      });
}

TEST_F(Combinators, DroppedAtAnyPointLeaveNothing) {
  bool done = false;
  for (int polls = 0; !done; ++polls) {
    int alive = 0;
    {
      auto future = composite(alive);
      for (int i = 0; i < polls && !done; ++i) done = probe.poll(future).is_ready();
    }
    EXPECT_EQ(alive, 0) << "dropped after " << polls << " polls";
    ASSERT_LE(polls, 20);
  }
}

template <class F>
void expect_refusal(Probe& probe, F& future) {
  while (probe.poll(future).is_pending()) {
  }
  EXPECT_THROW(static_cast<void>(probe.poll(future)), test::Fault);
}

TEST_F(Combinators, RefusePollsAfterCompletion) {
  const FaultsThrow faults_throw;
  const auto once = [] {
    return yield();
  };
  auto mapped = map(once, [] {});
  expect_refusal(probe, mapped);
  auto chained = then(once, once);
  expect_refusal(probe, chained);
  auto in_turn = sequence(once, once);
  expect_refusal(probe, in_turn);
  auto together = join(once, once);
  expect_refusal(probe, together);
  auto first = select(once, once);
  expect_refusal(probe, first);
  auto guarded = finally(once, [] {});
  expect_refusal(probe, guarded);
  auto callable = poll_fn([](Context&) -> Poll<int> { return 1; });
  expect_refusal(probe, callable);
}

}  // namespace
}  // namespace stackless
