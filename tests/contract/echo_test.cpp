// SPDX-License-Identifier: BSL-1.0
#include "tests/contract/echo.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <thread>

namespace contract {
namespace {

// Well-behaved peers: every byte comes back, whatever the size and however it is cut.
template <class C>
struct Echo : EchoCase<C> {};
TYPED_TEST_SUITE(Echo, ContendersAndCrews, Names);

TYPED_TEST(Echo, MessagesOfAllSizesComeBackExactly) {
  for (const auto transport : this->transports) {
    this->accepted = 0;
    this->serve(this->listen(transport), 1);
    this->against([&] {
      Peer peer{this->where};
      for (const std::size_t size :
           {1UL, 2UL, 63UL, 64UL, 4095UL, 4096UL, 4097UL, 65536UL, 1UL << 20}) {
        const Bytes message = pattern(size);
        EXPECT_EQ(peer.exchange(message), message) << size << " bytes, " << this->where.text();
      }
    });
  }
  EXPECT_EQ(this->ended, 2U);
  EXPECT_EQ(this->broken, 0U);
}

TYPED_TEST(Echo, ManyConnectionsDoNotMix) {
  constexpr std::uint32_t connections = 100;
  this->serve(this->listen(), connections);
  this->against([&] {
    std::deque<Peer> peers;
    for (std::uint32_t i = 0; i < connections; ++i) {
      peers.emplace_back(this->where);
    }
    for (int round = 0; round < 5; ++round) {
      for (std::uint32_t i = 0; i < connections; ++i) {
        EXPECT_TRUE(peers[i].send(pattern(300, i + 1)));
      }
      for (std::uint32_t i = 0; i < connections; ++i) {
        EXPECT_EQ(peers[i].receive(300), pattern(300, i + 1));
      }
    }
  });
  EXPECT_EQ(this->ended, connections);
}

TYPED_TEST(Echo, ShortWritesAreGoneOnWith) {
  this->send_buffer = 4096;
  this->buffer_bytes = 65536;  // more than there ever is room for
  for (const auto transport : this->transports) {
    this->accepted = 0;
    this->serve(this->listen(transport), 1);
    this->against([&] {
      Peer peer{this->where};
      const Bytes message = pattern(1 << 20);
      EXPECT_EQ(peer.exchange(message), message) << this->where.text();
    });
  }
  EXPECT_EQ(this->broken, 0U);
  if (TestFixture::one_worker) {  // a blocking write goes on by itself
    EXPECT_GT(this->short_writes, 0U) << "the case does not show what it is for";
  }
}

TYPED_TEST(Echo, AByteAtATime) {
  for (const auto transport : this->transports) {
    this->accepted = 0;
    this->serve(this->listen(transport), 1);
    this->against([&] {
      Peer peer{this->where};
      const Bytes message = pattern(500);
      for (const std::byte& byte : message) {
        EXPECT_TRUE(peer.send(std::span{&byte, 1}));
      }
      Bytes received;
      while (received.size() < message.size()) {
        const Bytes one = peer.receive(1);
        if (one.empty()) break;
        received.push_back(one.front());
      }
      EXPECT_EQ(received, message);
    });
  }
}

TYPED_TEST(Echo, DescriptorNumbersUsedAgainStartAfresh) {
  constexpr std::uint32_t connections = 200;
  this->serve(this->listen(), connections);
  this->against([&] {
    for (std::uint32_t i = 0; i < connections; ++i) {
      Peer peer{this->where};
      EXPECT_EQ(peer.exchange(pattern(10, i + 1)), pattern(10, i + 1));
      // Half of them leave something unread for whoever gets the number next.
      if (i % 2 == 0) {
        EXPECT_TRUE(peer.send(pattern(10)));
      }
    }
  });
  EXPECT_EQ(this->ended, connections);
}

}  // namespace
}  // namespace contract
