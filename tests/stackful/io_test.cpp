// SPDX-License-Identifier: BSL-1.0
#include "stackful/io.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "io/budget.hpp"
#include "io/endpoint.hpp"
#include "tests/stackful/connected_pair.hpp"

namespace {

using stackful::Listener;
using stackful::Scheduler;
using stackful::Stream;

TEST(FiberStream, AReaderIsParkedUntilThereIsSomethingToRead) {
  Scheduler scheduler{{}};
  std::string trace;
  ConnectedStreams<Stream> streams{scheduler};
  ASSERT_FALSE(scheduler.spawn([&] {
    std::array<std::byte, 8> buffer{};
    trace += "read ";
    const io::Transfer transfer = streams.here.read_some(buffer);
    trace += std::to_string(transfer.bytes);
  }));
  ASSERT_FALSE(scheduler.spawn([&] {
    trace += "write ";
    const std::array<std::byte, 3> message{};
    EXPECT_EQ(streams.there.write_some(message).bytes, 3U);
  }));
  scheduler.run();
  EXPECT_EQ(trace, "read write 3");
}

TEST(FiberStream, MovesMuchMoreThanTheSocketHoldsInBothDirections) {
  constexpr std::size_t total = std::size_t{4} << 20;
  Scheduler scheduler{{}};
  ConnectedStreams<Stream> streams{scheduler};
  std::size_t wrong = 0;
  for (auto [out, in] :
       {std::pair{&streams.here, &streams.there}, std::pair{&streams.there, &streams.here}}) {
    ASSERT_FALSE(scheduler.spawn([out = out] {
      std::array<std::byte, 4096> buffer{};
      for (std::size_t sent = 0; sent != total;) {
        std::byte next{static_cast<unsigned char>(sent % 251)};
        std::generate(buffer.begin(), buffer.end(), [&, at = sent]() mutable {
          next = std::byte{static_cast<unsigned char>(at++ % 251)};
          return next;
        });
        const io::Transfer transfer =
            out->write_some(std::span{buffer}.first(std::min(buffer.size(), total - sent)));
        ASSERT_FALSE(transfer.error) << transfer.error.message();
        sent += transfer.bytes;
      }
    }));
    ASSERT_FALSE(scheduler.spawn([in = in, &wrong] {
      std::array<std::byte, 4096> buffer{};
      for (std::size_t got = 0; got != total;) {
        const io::Transfer transfer = in->read_some(buffer);
        ASSERT_FALSE(transfer.error) << transfer.error.message();
        ASSERT_NE(transfer.bytes, 0U);
        for (std::size_t i = 0; i != transfer.bytes; ++i, ++got) {
          if (buffer[i] != std::byte{static_cast<unsigned char>(got % 251)}) ++wrong;
        }
      }
    }));
  }
  scheduler.run();
  EXPECT_EQ(wrong, 0U);
}

TEST(FiberStream, SaysWhenADescriptorCannotBeRegistered) {
  Scheduler scheduler{{}};
  std::error_code error;
  const Stream stream{scheduler, io::Descriptor{}, error};
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

// Both ends live here, so neither ever has to wait: only the slice lets the third fiber run.
TEST(FiberStream, AGreedyConnectionLetsOthersRun) {
  Scheduler scheduler{{}};
  ConnectedStreams<Stream> streams{scheduler};
  unsigned calls = 0;
  unsigned calls_before_the_other = 0;
  ASSERT_FALSE(scheduler.spawn([&] {
    std::array<std::byte, 16> buffer{};
    EXPECT_EQ(streams.here.write_some(buffer).bytes, buffer.size());
    EXPECT_EQ(streams.there.read_some(buffer).bytes, buffer.size());  // waits for its first event
    ASSERT_FALSE(scheduler.spawn([&] { calls_before_the_other = calls; }));
    for (calls = 0; calls != 100; ++calls) {
      EXPECT_EQ(streams.here.write_some(std::span{buffer}.first(1)).bytes, 1U);
    }
  }));
  scheduler.run();
  EXPECT_LE(calls_before_the_other, io::calls_a_slice);
}

TEST(FiberListener, GivesEachConnectionToAFiberOfItsOwn) {
  constexpr int connections = 20;
  Scheduler scheduler{{}};
  std::error_code error;
  io::Descriptor socket =
      io::listen(io::Endpoint::parse("tcp:127.0.0.1:0", error), io::Mode::nonblocking, error);
  ASSERT_FALSE(error) << error.message();
  const io::Endpoint where = io::local_endpoint(socket, error);
  ASSERT_FALSE(error) << error.message();
  Listener listener{scheduler, std::move(socket), error};
  ASSERT_FALSE(error) << error.message();
  int served = 0;
  int answered = 0;
  ASSERT_FALSE(scheduler.spawn([&] {
    for (int i = 0; i != connections; ++i) {
      std::error_code failure;
      io::Descriptor taken = listener.accept(failure);
      ASSERT_FALSE(failure) << failure.message();
      ASSERT_FALSE(scheduler.spawn([&, connection = std::move(taken)]() mutable {
        std::error_code refused;
        Stream stream{scheduler, std::move(connection), refused};
        ASSERT_FALSE(refused) << refused.message();
        std::array<std::byte, 16> buffer{};
        while (const std::size_t bytes = stream.read_some(buffer).bytes) {
          EXPECT_EQ(stream.write_some(std::span{buffer}.first(bytes)).bytes, bytes);
        }
        ++served;
      }));
    }
  }));
  for (int i = 0; i != connections; ++i) {
    ASSERT_FALSE(scheduler.spawn([&] {
      std::error_code failure;
      io::Descriptor connection = io::connect(where, io::Mode::nonblocking, failure);
      ASSERT_FALSE(failure) << failure.message();
      Stream stream{scheduler, std::move(connection), failure};
      ASSERT_FALSE(failure) << failure.message();
      const std::array<std::byte, 5> message{std::byte{1}, std::byte{2}};
      EXPECT_EQ(stream.write_some(message).bytes, message.size());
      std::array<std::byte, 5> answer{};
      EXPECT_EQ(stream.read_some(answer).bytes, message.size());
      EXPECT_EQ(answer, message);
      ++answered;
    }));
  }
  scheduler.run();
  EXPECT_EQ(served, connections);
  EXPECT_EQ(answered, connections);
}

}  // namespace
