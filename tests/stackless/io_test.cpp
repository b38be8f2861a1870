// SPDX-License-Identifier: BSL-1.0
#include "stackless/io.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include "io/budget.hpp"
#include "io/counters.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::FaultsThrow;
using test::Probe;

struct Pair {
  io::Descriptor ours;
  io::Descriptor theirs;
};

Pair socket_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span{text});
}

void expect_text(std::span<const std::byte> got, std::string_view wanted) {
  EXPECT_TRUE(std::ranges::equal(got, bytes(wanted)));
}

/// Runs the coroutine that `make` returns as the only task.
template <class Make>
void as_task(Executor& executor, Make make) {
  ASSERT_FALSE(executor.spawn(make));
  executor.run();
}

Async<> exchange_bytes(Executor& executor) {
  Pair pair = socket_pair();
  std::error_code error;
  Stream ours{executor, std::move(pair.ours), error};
  EXPECT_FALSE(error);
  Stream theirs{executor, std::move(pair.theirs), error};
  EXPECT_FALSE(error);
  std::array<std::byte, 16> buffer{};
  for (int round = 0; round < 3; ++round) {
    const io::Transfer sent = co_await ours.write_some(bytes("hello"));
    EXPECT_EQ(sent.bytes, 5U);
    const io::Transfer got = co_await theirs.read_some(buffer);
    expect_text(std::span{buffer}.first(got.bytes), "hello");
  }
}

TEST(Stream, MovesBytesWithOneCallEach) {
  Executor executor;
  const io::SystemCalls before = io::system_calls();
  as_task(executor, [&] { return exchange_bytes(executor); });
  const io::SystemCalls made = io::system_calls() - before;
  EXPECT_EQ(made[io::SystemCall::read], 3U);
  EXPECT_EQ(made[io::SystemCall::write], 3U);
  EXPECT_EQ(made[io::SystemCall::registration], 4U);
}

Async<> read_to_the_end(Executor& executor) {
  Pair pair = socket_pair();
  EXPECT_EQ(::send(pair.theirs.get(), "last", 4, 0), 4);
  pair.theirs.reset();
  std::error_code error;
  Stream stream{executor, std::move(pair.ours), error};
  std::array<std::byte, 16> buffer{};
  const io::Transfer data = co_await stream.read_some(buffer);
  expect_text(std::span{buffer}.first(data.bytes), "last");
  for (int i = 0; i < 2; ++i) {
    const io::Transfer end = co_await stream.read_some(buffer);
    EXPECT_EQ(end.bytes, 0U);
    EXPECT_FALSE(end.error);
  }
}

TEST(Stream, SeesTheEndThatCameWithTheLastData) {
  Executor executor;
  as_task(executor, [&] { return read_to_the_end(executor); });
}

Async<> fill_and_drain(Executor& executor) {
  Pair pair = socket_pair();
  std::error_code error;
  Stream ours{executor, std::move(pair.ours), error};
  Stream theirs{executor, std::move(pair.theirs), error};
  const std::vector<std::byte> much(1 << 20, std::byte{7});
  Probe probe;
  std::size_t sent = 0;
  while (true) {
    Stream::Write write = ours.write_some(std::span{much}.subspan(sent));
    Poll<io::Transfer> polled = probe.poll(write);
    if (polled.is_pending()) break;
    sent += polled.take().bytes;
  }
  EXPECT_EQ(probe.references, 0) << "a dropped write leaves no waker";
  std::vector<std::byte> into(1 << 16);
  std::size_t got = 0;
  while (got < sent) got += (co_await theirs.read_some(into)).bytes;
  EXPECT_EQ((co_await ours.write_some(bytes("x"))).bytes, 1U);
  EXPECT_EQ(probe.wakes, 0);
}

TEST(Stream, WaitsForRoom) {
  Executor executor;
  as_task(executor, [&] { return fill_and_drain(executor); });
}

Async<> drop_a_read(Executor& executor) {
  const FaultsThrow faults_throw;
  Pair pair = socket_pair();
  std::error_code error;
  Stream stream{executor, std::move(pair.ours), error};
  std::array<std::byte, 16> buffer{};
  Probe probe;
  {
    Stream::Read read = stream.read_some(buffer);
    EXPECT_TRUE(probe.poll(read).is_pending());
  }
  EXPECT_EQ(probe.references, 0);
  EXPECT_EQ(::send(pair.theirs.get(), "kept", 4, 0), 4);
  Stream::Read read = stream.read_some(buffer);
  while (true) {
    Poll<io::Transfer> polled = probe.poll(read);
    if (polled.is_ready()) {
      expect_text(std::span{buffer}.first(polled.take().bytes), "kept");
      break;
    }
    co_await yield();
  }
  EXPECT_THROW(static_cast<void>(probe.poll(read)), test::Fault);
}

TEST(Stream, LosesNothingWhenAReadIsDropped) {
  Executor executor;
  as_task(executor, [&] { return drop_a_read(executor); });
}

Async<> read_bytes(Executor& executor, io::Descriptor end, std::size_t& got) {
  std::error_code error;
  Stream stream{executor, std::move(end), error};
  std::array<std::byte, 1> one{};
  while ((co_await stream.read_some(one)).bytes != 0) ++got;
}

/// Sees how far another task has come each time it is polled itself.
Async<> watch(std::size_t& got, std::size_t total, std::size_t& longest_turn) {
  std::size_t before = 0;
  while (got != total) {
    co_await yield();
    longest_turn = std::max(longest_turn, got - before);
    before = got;
  }
}

TEST(Stream, ABusyPeerDoesNotKeepTheWorkerToItself) {
  constexpr std::size_t total = 1000;
  Executor executor;
  Pair pair = socket_pair();
  const std::vector<std::byte> much(total);
  EXPECT_EQ(::send(pair.theirs.get(), much.data(), total, 0), ssize_t{total});
  pair.theirs.reset();
  std::size_t got = 0;
  std::size_t longest_turn = 0;
  ASSERT_FALSE(executor.spawn([&] { return read_bytes(executor, std::move(pair.ours), got); }));
  ASSERT_FALSE(executor.spawn([&] { return watch(got, total, longest_turn); }));
  executor.run();
  EXPECT_EQ(got, total);
  EXPECT_EQ(longest_turn, io::poll_budget);
}

Async<> serve_one(Executor& executor, const io::Endpoint& at) {
  std::error_code error;
  io::Descriptor listening = io::listen(at, io::Mode::nonblocking, error);
  EXPECT_FALSE(error) << error.message();
  const io::Endpoint bound = io::local_endpoint(listening, error);
  Listener listener{executor, std::move(listening), error};
  EXPECT_FALSE(error) << error.message();
  {
    Probe probe;
    Listener::Accept dropped = listener.accept(error);
    EXPECT_TRUE(probe.poll(dropped).is_pending());
  }
  const io::Descriptor client = io::connect(bound, io::Mode::blocking, error);
  EXPECT_FALSE(error) << error.message();
  const io::Descriptor accepted = co_await listener.accept(error);
  EXPECT_TRUE(accepted);
  EXPECT_FALSE(error) << error.message();
}

TEST(Listener, AcceptsConnections) {
  Executor executor;
  std::error_code error;
  const io::Endpoint at = io::Endpoint::parse("tcp:127.0.0.1:0", error);
  as_task(executor, [&] { return serve_one(executor, at); });
}

}  // namespace
}  // namespace stackless
