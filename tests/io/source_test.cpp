// SPDX-License-Identifier: BSL-1.0
#include "io/source.hpp"

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <semaphore>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "io/counters.hpp"
#include "tests/io/source_fixture.hpp"

namespace {

using io::Descriptor;
using io::Source;

TEST_F(SourceTest, AFreshOneIsWritableAndNotYetReadable) {
  Pair pair;
  send_all(pair.theirs, "early");
  const auto source = source_of(std::move(pair.ours));
  EXPECT_TRUE(source->writable());
  EXPECT_FALSE(source->readable());
  EXPECT_FALSE(source->try_read(buffer));
  EXPECT_EQ(read(*source).bytes, 5U);  // registration reported what was there already
}

TEST_F(SourceTest, AMessageCostsOneReadAndOneWait) {
  Pair pair;
  const auto source = source_of(std::move(pair.ours));
  reactor.turn(look);  // the event of registration: writable
  const io::SystemCalls before = io::system_calls();
  for (int i = 0; i != 10; ++i) {
    send_all(pair.theirs, "message");
    EXPECT_EQ(read(*source).bytes, 7U);
  }
  const io::SystemCalls made = io::system_calls() - before;
  EXPECT_EQ(made[io::SystemCall::read], 10U);
  EXPECT_EQ(made[io::SystemCall::wait], 10U);
  EXPECT_EQ(made[io::SystemCall::registration], 0U);
}

TEST_F(SourceTest, ALookFindsAMessageAndNothingMoreOnceThereIsNoSource) {
  Pair pair;
  auto source = source_of(std::move(pair.ours));
  Bell bell;
  source->await_readable(&bell);
  send_all(pair.theirs, "message");
  EXPECT_EQ(reactor.look(), 1U);
  EXPECT_EQ(bell.rung, 1);
  source.reset();
  const io::SystemCalls before = io::system_calls();
  EXPECT_EQ(reactor.look(), 0U);
  EXPECT_EQ((io::system_calls() - before)[io::SystemCall::wait], 0U);
}

TEST_F(SourceTest, AFullBufferLeavesItReadable) {
  Pair pair;
  const auto source = source_of(std::move(pair.ours));
  send_all(pair.theirs, "12345678");
  EXPECT_EQ(read(*source, 4).bytes, 4U);
  EXPECT_TRUE(source->readable());
  EXPECT_EQ(read(*source, 4).bytes, 4U);
  EXPECT_TRUE(source->readable());  // nobody can know
  EXPECT_FALSE(source->try_read(buffer));
  EXPECT_FALSE(source->readable());
}

TEST_F(SourceTest, AShortReadMakesItNotReady) {
  Pair pair;
  const auto source = source_of(std::move(pair.ours));
  send_all(pair.theirs, "short");
  EXPECT_EQ(read(*source).bytes, 5U);
  EXPECT_FALSE(source->readable());
  send_all(pair.theirs, "er");
  EXPECT_EQ(read(*source).bytes, 2U);
}

TEST_F(SourceTest, DataAndTheEndCanComeAsOneEvent) {
  Pair pair;
  const auto source = source_of(std::move(pair.ours));
  send_all(pair.theirs, "last words");
  ASSERT_EQ(::shutdown(pair.theirs.get(), SHUT_WR), 0);
  EXPECT_EQ(read(*source).bytes, 10U);
  EXPECT_TRUE(source->readable()) << "no other event will follow";
  const io::Transfer end = read(*source);
  EXPECT_EQ(end.bytes, 0U);
  EXPECT_FALSE(end.error);
}

TEST_F(SourceTest, TheEndAfterAShortReadIsAnEvent) {
  TcpPair pair;
  const auto source = source_of(std::move(pair.ours));
  send_all(pair.theirs, "words");
  EXPECT_EQ(read(*source).bytes, 5U);
  pair.theirs.reset();
  EXPECT_EQ(read(*source).bytes, 0U);
}

TEST_F(SourceTest, AHalfClosedPeerStillGetsItsAnswer) {
  TcpPair pair;
  const auto source = source_of(std::move(pair.ours));
  send_all(pair.theirs, "question");
  ASSERT_EQ(::shutdown(pair.theirs.get(), SHUT_WR), 0);
  while (read(*source).bytes != 0) {
  }
  const auto written = source->try_write(bytes_of("answer"));
  ASSERT_TRUE(written);
  EXPECT_EQ(written->bytes, 6U);
  std::array<std::byte, 16> answer{};
  EXPECT_EQ(io::read_some(pair.theirs.get(), answer).bytes, 6U);
}

TEST_F(SourceTest, ResetTellsReaderAndWriter) {
  TcpPair pair;
  const auto source = source_of(std::move(pair.ours));
  reactor.turn(look);
  Bell reader;
  Bell writer;
  source->await_readable(&reader);
  source->await_writable(&writer);
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(pair.theirs.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  pair.theirs.reset();
  while (reader.rung == 0) reactor.turn(io::never);
  EXPECT_EQ(writer.rung, 1);
  EXPECT_EQ(read(*source).error, std::errc::connection_reset);
}

TEST_F(SourceTest, ShortWritesGoOnWhenThereIsRoom) {
  TcpPair pair;
  constexpr int small = 1 << 16;  // whatever the machine's defaults
  ASSERT_EQ(::setsockopt(pair.ours.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  const auto source = source_of(std::move(pair.ours));
  const std::string message(8 << 20, 'm');
  std::size_t received = 0;
  std::binary_semaphore buffers_are_full{0};
  std::jthread slow_peer{[&] {
    buffers_are_full.acquire();
    std::vector<std::byte> into(1 << 16);
    while (received != message.size()) {
      const io::Transfer transfer = io::read_some(pair.theirs.get(), into);
      ASSERT_FALSE(transfer.error) << transfer.error.message();
      ASSERT_NE(transfer.bytes, 0U);
      received += transfer.bytes;
    }
  }};
  std::span<const std::byte> rest = bytes_of(message);
  int waits = 0;
  while (!rest.empty()) {
    if (const auto transfer = source->try_write(rest)) {
      ASSERT_FALSE(transfer->error) << transfer->error.message();
      rest = rest.subspan(transfer->bytes);
      continue;
    }
    Bell bell;
    source->await_writable(&bell);
    if (waits++ == 0) buffers_are_full.release();
    while (bell.rung == 0) reactor.turn(io::never);
  }
  EXPECT_GT(waits, 0) << "the message was meant to be larger than the buffers";
  if (waits == 0) buffers_are_full.release();
  slow_peer.join();
  EXPECT_EQ(received, message.size());
}

TEST_F(SourceTest, AnArrangementRingsOnceAndCanBeTakenBack) {
  Pair pair;
  const auto source = source_of(std::move(pair.ours));
  reactor.turn(look);
  Bell bell;
  source->await_readable(&bell);
  source->await_readable(nullptr);
  send_all(pair.theirs, "1");
  EXPECT_EQ(reactor.turn(look), 0U);
  EXPECT_EQ(bell.rung, 0);
  EXPECT_TRUE(source->readable());
  source->await_readable(&bell);
  send_all(pair.theirs, "2");
  EXPECT_EQ(reactor.turn(look), 1U);
  send_all(pair.theirs, "3");
  EXPECT_EQ(reactor.turn(look), 0U);
  EXPECT_EQ(bell.rung, 1);
}

TEST_F(SourceTest, WhatCannotBeWaitedForIsAnError) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  std::error_code error;
  {
    Source source{reactor, Descriptor{::dup(::fileno(file))}, error};
    EXPECT_EQ(error, std::errc::operation_not_permitted);
    EXPECT_FALSE(source.try_read(buffer));
    EXPECT_FALSE(source.try_write(buffer));
  }
  EXPECT_EQ(std::fclose(file), 0);
}

}  // namespace
