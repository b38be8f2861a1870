// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>

#include "harness/allocations.hpp"
#include "io/counters.hpp"
#include "stackless/push/backend.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless::push {
namespace {

using test::Counted;
using test::Trace;

struct Push : testing::Test {
  /// Runs `body` in the loop, and the loop to its end.
  template <class Body>
  void run(Body body) {
    ASSERT_FALSE(loop.spawn(body));
    loop.run();
    EXPECT_EQ(loop.operations(), 0U);
  }
  template <class T>
  static void expect_cancelled(Promise<T> promise, int& cancelled) {
    std::move(promise).when_settled([&](const Outcome<T>& outcome) {
      EXPECT_TRUE(outcome.was_cancelled());
      ++cancelled;
    });
  }

  Trace trace;
  Loop loop;
};

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

// ---- sockets

struct PushSockets : Push {
  PushSockets() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    ours.emplace(loop, io::Descriptor{ends[0]}, error);
    theirs.emplace(loop, io::Descriptor{ends[1]}, error);
    EXPECT_FALSE(error);
  }
  /// Sends the byte to and fro.
  Promise<> play(int rounds) {
    if (rounds == 0) return yield();
    return ours->write_some(ball)
        .then([this](io::Transfer) { return theirs->read_some(ball); })
        .then([this, rounds](io::Transfer got) {
          EXPECT_EQ(got.bytes, 1U);
          return play(rounds - 1);
        });
  }
  std::error_code error;
  std::array<std::byte, 1> ball{};
  std::optional<Stream> ours;
  std::optional<Stream> theirs;
};

TEST_F(PushSockets, MoveBytesWithOneCallEach) {
  const io::SystemCalls before = io::system_calls();
  run([&] { return play(100); });
  const io::SystemCalls made = io::system_calls() - before;
  EXPECT_EQ(made[io::SystemCall::write], 100U);
  EXPECT_LE(made[io::SystemCall::read], 101U);
}

TEST_F(PushSockets, AReadIsCancelledWhileItWaitsAndWhileItsTurnIsQueued) {
  int cancelled = 0;
  CancellationSource waiting;
  run([&] {
    expect_cancelled(ours->read_some(ball, waiting.token()), cancelled);
    waiting.cancel();
    return yield();
  });
  EXPECT_EQ(cancelled, 1);
  bool read = false;
  run([&] {
    ours->read_some(ball).when_settled(
        [&](Outcome<io::Transfer> outcome) { read = outcome.take().bytes == 1; });
    return theirs->write_some(ball);
  });
  EXPECT_TRUE(read) << "nothing was lost";
}

TEST_F(PushSockets, EveryWaitAllocates) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer's allocator is not counted";
  run([&] { return play(10); });
  const std::uint64_t before = *harness::allocations();
  run([&] { return play(1000); });
  // An operation and a continuation for the write, the same for the read: that is the price of
  // pushing.
  EXPECT_GE(*harness::allocations() - before, 4000U);
  EXPECT_LE(*harness::allocations() - before, 4100U);
}

}  // namespace
}  // namespace stackless::push
