// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/io.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "io/budget.hpp"
#include "io/counters.hpp"
#include "stackful/boost_fiber/scheduler.hpp"
#include "stackful/boost_fiber/sleep.hpp"
#include "stackful/scheduler.hpp"
#include "tests/stackful/connected_pair.hpp"

namespace {

using stackful::boost_fiber::Listener;
using stackful::boost_fiber::Scheduler;
using stackful::boost_fiber::Stream;

void write_all(Stream& stream, std::span<const std::byte> from) {
  while (!from.empty()) {
    const io::Transfer transfer = stream.write_some(from);
    ASSERT_FALSE(transfer.error) << transfer.error.message();
    from = from.subspan(transfer.bytes);
  }
}

void read_all(Stream& stream, std::span<std::byte> into) {
  while (!into.empty()) {
    const io::Transfer transfer = stream.read_some(into);
    ASSERT_FALSE(transfer.error) << transfer.error.message();
    ASSERT_NE(transfer.bytes, 0U) << "ended early";
    into = into.subspan(transfer.bytes);
  }
}

void echo(Stream& stream) {
  std::array<std::byte, 4096> buffer;
  while (true) {
    const io::Transfer transfer = stream.read_some(buffer);
    ASSERT_FALSE(transfer.error) << transfer.error.message();
    if (transfer.bytes == 0) return;
    write_all(stream, std::span{buffer}.first(transfer.bytes));
  }
}

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  std::uint32_t state = 1;
  std::generate(made.begin(), made.end(), [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<std::byte>(state >> 24);
  });
  return made;
}

TEST(BoostFiberIo, EchoesMessagesLargerThanAnyBuffer) {
  const std::vector<std::byte> sent = pattern(3'000'000);
  std::vector<std::byte> received(sent.size());
  Scheduler scheduler;
  auto [near, far] = connected_pair();
  std::error_code error;
  std::optional<Stream> client;
  client.emplace(scheduler, std::move(near), error);
  ASSERT_FALSE(error);
  ASSERT_FALSE(scheduler.spawn([&scheduler, end = std::move(far)]() mutable {
    std::error_code registered;
    Stream server{scheduler, std::move(end), registered};
    ASSERT_FALSE(registered);
    echo(server);
  }));
  ASSERT_FALSE(scheduler.spawn([&] { write_all(*client, sent); }));
  ASSERT_FALSE(scheduler.spawn([&] {
    read_all(*client, received);
    client.reset();
  }));
  scheduler.run();
  EXPECT_EQ(received, sent);
}

TEST(BoostFiberIo, AMessageIsOneReadOneWriteAndNoRegistration) {
  constexpr std::uint64_t messages = 1000;
  Scheduler scheduler;
  auto [near, far] = connected_pair();
  std::error_code error;
  std::optional<Stream> client;
  client.emplace(scheduler, std::move(near), error);
  ASSERT_FALSE(error);
  Stream server{scheduler, std::move(far), error};
  ASSERT_FALSE(error);
  io::SystemCalls made;
  ASSERT_FALSE(scheduler.spawn([&] { echo(server); }));
  ASSERT_FALSE(scheduler.spawn([&] {
    const std::vector<std::byte> message = pattern(64);
    std::array<std::byte, 65> answer{};  // a read that fills its buffer would have to ask for more
    const io::SystemCalls before = io::system_calls();
    for (std::uint64_t round = 0; round < messages; ++round) {
      write_all(*client, message);
      ASSERT_EQ(client->read_some(answer).bytes, message.size());
    }
    made = io::system_calls() - before;
    client.reset();
  }));
  scheduler.run();
  EXPECT_EQ(made[io::SystemCall::read], 2 * messages);  // both ends
  EXPECT_EQ(made[io::SystemCall::write], 2 * messages);
  EXPECT_EQ(made[io::SystemCall::registration], 0U);
}

TEST(BoostFiberIo, DataAndEndThatComeTogetherAreBothSeen) {
  auto [near, far] = connected_pair();
  const std::vector<std::byte> message = pattern(100);
  ASSERT_EQ(io::write_some(far.get(), message).bytes, message.size());
  far.reset();
  std::vector<std::size_t> reads;
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&scheduler, &reads, end = std::move(near)]() mutable {
    std::error_code error;
    Stream stream{scheduler, std::move(end), error};
    std::array<std::byte, 4096> buffer;
    do {
      reads.push_back(stream.read_some(buffer).bytes);
    } while (reads.back() != 0);
  }));
  scheduler.run();
  EXPECT_EQ(reads, (std::vector<std::size_t>{100, 0}));
}

TEST(BoostFiberIo, AReaderWaitsForAPeerThatTricklesWithoutSpinning) {
  constexpr int pieces = 10;
  Scheduler scheduler;
  auto [near, far] = connected_pair();
  std::error_code error;
  Stream reader{scheduler, std::move(near), error};
  std::optional<Stream> writer;
  writer.emplace(scheduler, std::move(far), error);
  std::size_t received = 0;
  ASSERT_FALSE(scheduler.spawn([&] {
    std::array<std::byte, 64> buffer;
    while (const std::size_t bytes = reader.read_some(buffer).bytes) received += bytes;
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int piece = 0; piece < pieces; ++piece) {
      write_all(*writer, pattern(1));
      stackful::boost_fiber::sleep_until(io::Clock::now() + std::chrono::milliseconds{2});
    }
    writer.reset();
  }));
  const io::SystemCalls before = io::system_calls();
  scheduler.run();
  EXPECT_EQ(received, pieces);
  EXPECT_LE((io::system_calls() - before)[io::SystemCall::read], pieces + 1U);
}

// What is read has all been written before, so nothing has to wait: only the slice lets another
// run.
TEST(BoostFiberIo, AFiberWhoseSocketsAreAlwaysReadyLetsOthersGo) {
  Scheduler scheduler;
  ConnectedStreams<Stream> streams{scheduler};
  bool other_ran = false;
  unsigned calls_before_the_other = 0;
  ASSERT_FALSE(scheduler.spawn([&] {
    std::array<std::byte, 1> byte{};
    for (int i = 0; i < 100; ++i) EXPECT_EQ(streams.here.write_some(byte).bytes, 1U);
    ASSERT_FALSE(scheduler.spawn([&] { other_ran = true; }));
    while (!other_ran && calls_before_the_other < 90) {
      EXPECT_EQ(streams.there.read_some(byte).bytes, 1U);
      ++calls_before_the_other;
    }
  }));
  scheduler.run();
  EXPECT_TRUE(other_ran);
  EXPECT_LE(calls_before_the_other, io::calls_a_slice);
}

TEST(BoostFiberIo, WritingToAClosedPeerIsAnError) {
  Scheduler scheduler;
  auto [near, far] = connected_pair();
  far.reset();
  std::error_code written;
  ASSERT_FALSE(scheduler.spawn([&, end = std::move(near)]() mutable {
    std::error_code error;
    Stream stream{scheduler, std::move(end), error};
    written = stream.write_some(pattern(10)).error;
  }));
  scheduler.run();
  EXPECT_EQ(written, std::errc::broken_pipe);
}

TEST(BoostFiberIo, AListenerDealsConnectionsToTasks) {
  constexpr int connections = 20;
  Scheduler scheduler;
  std::error_code error;
  io::Descriptor listening =
      io::listen(io::Endpoint::parse("tcp:127.0.0.1:0", error), io::Mode::nonblocking, error);
  ASSERT_FALSE(error) << error.message();
  const io::Endpoint where = io::local_endpoint(listening, error);
  Listener listener{scheduler, std::move(listening), error};
  ASSERT_FALSE(error) << error.message();
  int answered = 0;
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int taken = 0; taken < connections; ++taken) {
      std::error_code refused;
      io::Descriptor connection = listener.accept(refused);
      ASSERT_FALSE(refused) << refused.message();
      ASSERT_FALSE(scheduler.spawn([&scheduler, end = std::move(connection)]() mutable {
        std::error_code registered;
        Stream stream{scheduler, std::move(end), registered};
        echo(stream);
      }));
    }
  }));
  for (int client = 0; client < connections; ++client) {
    ASSERT_FALSE(scheduler.spawn([&] {
      std::error_code failed;
      Stream stream{scheduler, io::connect(where, io::Mode::nonblocking, failed), failed};
      ASSERT_FALSE(failed) << failed.message();
      const std::vector<std::byte> message = pattern(1000);
      std::vector<std::byte> answer(message.size());
      write_all(stream, message);
      read_all(stream, answer);
      answered += answer == message ? 1 : 0;
    }));
  }
  scheduler.run();
  EXPECT_EQ(answered, connections);
}

TEST(BoostFiberIo, WhatIsNoSocketCannotBeRegistered) {
  Scheduler scheduler;
  std::error_code error;
  const Stream stream{scheduler, io::Descriptor{}, error};
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

}  // namespace
