// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "harness/allocations.hpp"
#include "tests/stackless/push/push_fixture.hpp"

namespace stackless::push {
namespace {

using test::Counted;
using test::Trace;

TEST_F(Push, IsEagerUpToTheFirstWait) {
  Event event{loop};
  ASSERT_FALSE(loop.spawn([&] {
    trace.push_back("begins");
    auto promise = event.wait().then([&] { trace.push_back("continues"); });
    trace.push_back("waits");
    return promise;
  }));
  EXPECT_EQ(trace, (Trace{"begins", "waits"}));
  ASSERT_FALSE(loop.spawn([&] {
    event.set();
    EXPECT_EQ(trace.size(), 2U) << "pushed into the queue, not run";
    return yield();
  }));
  loop.run();
  EXPECT_EQ(trace.back(), "continues");
}

TEST_F(Push, ContinuationsRunInTheOrderOfTheQueue) {
  run([&] {
    for (const char* name : {"a", "b"}) {
      yield()
          .then([&trace = trace, name] { trace.push_back(std::string{name} + "1"); })
          .then([&trace = trace, name] { trace.push_back(std::string{name} + "2"); })
          .when_settled([](const Outcome<void>&) {});
    }
    return yield();
  });
  EXPECT_EQ(trace, (Trace{"a1", "b1", "a2", "b2"}));
}

TEST_F(Push, ValuesPassFromOneToTheNext) {
  std::string got;
  run([&] {
    return yield()
        .then([] { return std::make_unique<int>(20); })
        .then([](std::unique_ptr<int> value) { return *value + 1; })
        .then([](int value) {
          return sleep_until(io::TimePoint{}).then([value] { return 2 * value; });
        })
        .then([&](int value) { got = std::to_string(value); });
  });
  EXPECT_EQ(got, "42");
}

TEST_F(Push, ErrorsPassByContinuations) {
  bool passed_by = true;
  std::exception_ptr seen;
  run([&] {
    yield()
        .then([]() -> int { throw std::runtime_error{"failed"}; })
        .then([&](int) { passed_by = false; })
        .finally([&] { trace.push_back("finally"); })
        .when_settled([&](const Outcome<void>& outcome) { seen = outcome.error(); });
    return yield();
  });
  EXPECT_TRUE(passed_by);
  EXPECT_EQ(trace, (Trace{"finally"}));
  ASSERT_TRUE(seen);
  EXPECT_THROW(std::rethrow_exception(seen), std::runtime_error);
}

TEST(PushDeathTest, AnErrorThatNobodySeesEndsTheProgram) {
  EXPECT_DEATH(
      {
        Loop loop;
        static_cast<void>(loop.spawn([] { return yield().then([] { throw 1; }); }));
        loop.run();
      },
      "");
}

TEST_F(Push, ADroppedPromiseStopsNothing) {
  ASSERT_FALSE(loop.spawn([&] {
    { const auto dropped = sleep_until(io::Clock::now()); }
    return yield();
  }));
  EXPECT_EQ(loop.operations(), 1U);
  loop.run();
  EXPECT_EQ(loop.operations(), 0U);
}

TEST_F(Push, EventsAreStickyAndResetThemselves) {
  Event event{loop};
  int taken = 0;
  run([&] {
    event.set();
    event.set();
    event.wait().then([&] { ++taken; }).when_settled([](const Outcome<void>&) {});
    auto second = event.wait().then([&] { ++taken; });
    EXPECT_EQ(loop.operations(), 1U) << "two sets were one";
    event.set();
    return second;
  });
  EXPECT_EQ(taken, 2);
}

TEST_F(Push, WhatIsThereAlreadyAllocatesItsContinuationOnly) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer's allocator counts differently";
  Event event{loop};
  std::uint64_t allocated = 0;
  run([&] {
    event.set();
    const std::uint64_t before = *harness::allocations();
    auto continued = event.wait().then([] {}).then([] { return yield(); });
    allocated = *harness::allocations() - before;
    return continued;
  });
  EXPECT_EQ(allocated, 2U);
}

// ---- cancellation

TEST_F(Push, ATokenCancelsWhatHasIt) {
  Event event{loop};
  CancellationSource source;
  int cancelled = 0;
  int alive = 0;
  run([&] {
    expect_cancelled(sleep_until(io::never, source.token()), cancelled);
    expect_cancelled(event.wait(source.token()).then([counted = Counted{alive}] {
      ADD_FAILURE() << "cancelled";
    }),
                     cancelled);
    EXPECT_EQ(loop.operations(), 2U);
    source.cancel();
    EXPECT_EQ(loop.operations(), 0U);
    EXPECT_EQ(loop.reactor().timers().size(), 0U);
    expect_cancelled(sleep_until(io::never, source.token()), cancelled);
    return yield();
  });
  EXPECT_EQ(cancelled, 3);
  EXPECT_EQ(alive, 0);
}

TEST_F(Push, AnOperationThatIsOverCannotBeCancelled) {
  Event event{loop};
  CancellationSource source;
  int taken = 0;
  run([&] {
    event.wait(source.token()).then([&] { ++taken; }).when_settled([](const Outcome<void>&) {});
    event.set();
    source.cancel();
    return yield();
  });
  EXPECT_EQ(taken, 1);
}

TEST(PushEnd, AnEventAndATokenMayEndWhatIsAwaitedOutsideRun) {
  Loop loop;
  CancellationSource source;
  int cancelled = 0;
  {
    Event event{loop};
    ASSERT_FALSE(loop.spawn([&] {
      Push::expect_cancelled(event.wait(), cancelled);
      Push::expect_cancelled(sleep_until(io::never, source.token()), cancelled);
      return yield();
    }));
  }
  source.cancel();
  EXPECT_EQ(cancelled, 0) << "continuations run from the queue";
  loop.run();
  EXPECT_EQ(cancelled, 2);
}

TEST(PushEnd, TheLoopCancelsWhatIsAwaited) {
  int alive = 0;
  Trace trace;
  {
    Loop loop;
    Event event{loop};
    ASSERT_FALSE(loop.spawn([&] {
      sleep_until(io::never)
          .then([counted = Counted{alive}] {})
          .finally([&] { trace.push_back("sleep over"); })
          .when_settled([](const Outcome<void>&) {});
      return sleep_until(io::never).finally([&, counted = Counted{alive}] {
        // What is begun at the end does not begin.
        sleep_until(io::never).when_settled([&](const Outcome<void>& outcome) {
          if (outcome.was_cancelled()) trace.push_back("refused");
        });
      });
    }));
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(trace.size(), 2U);
}

}  // namespace
}  // namespace stackless::push
