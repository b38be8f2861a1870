// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <system_error>

#include "harness/allocations.hpp"
#include "io/counters.hpp"
#include "tests/stackless/push/push_fixture.hpp"

namespace stackless::push {
namespace {

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

TEST_F(PushSockets, EveryContinuationAllocates) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer's allocator is not counted";
  run([&] { return play(10); });
  const std::uint64_t before = *harness::allocations();
  run([&] { return play(1000); });
  // Two continuations: that is the price of pushing, also where nothing has to be waited for.
  EXPECT_GE(*harness::allocations() - before, 2000U);
  EXPECT_LE(*harness::allocations() - before, 2100U);
}

}  // namespace
}  // namespace stackless::push
