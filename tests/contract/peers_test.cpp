// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <chrono>
#include <cstddef>
#include <malloc.h>
#include <thread>

#include "tests/contract/echo.hpp"

namespace contract {
namespace {

// Badly behaved peers: they may harm themselves, nobody else.
template <class C>
struct Peers : EchoCase<C> {
  /// Everything that the kernel takes, until it has taken nothing for a while.
  static void fill(Peer& peer) {
    const Bytes flood = pattern(1 << 16);
    for (int full = 0; full < 10;) {
      full = peer.send_what_fits(flood) == 0 ? full + 1 : 0;
      if (full != 0) std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }

  void expect_served(Peer& peer, int rounds = 50) {
    for (int round = 0; round < rounds; ++round) {
      const Bytes message = pattern(64, static_cast<std::uint32_t>(round + 1));
      EXPECT_EQ(peer.exchange(message), message);
    }
  }
};
TYPED_TEST_SUITE(Peers, ContendersAndMigrating, Names);

// Data and end arrive as one event, with none to follow: sent before anybody looks.
TYPED_TEST(Peers, DataAndEndInOneEvent) {
  for (const auto transport : this->transports) {
    for (const std::size_t size : {1UL, 4095UL, 4096UL, 4097UL, 30000UL}) {
      io::Descriptor listener = this->listen(transport);
      Peer peer{this->where};
      EXPECT_TRUE(peer.send(pattern(size)));
      peer.finish_sending();
      this->accepted = 0;
      this->serve(std::move(listener), 1);
      this->against([&] {
        EXPECT_EQ(peer.receive(size), pattern(size)) << size << " bytes, " << this->where.text();
        EXPECT_TRUE(peer.at_end());
      });
    }
  }
  EXPECT_EQ(this->broken, 0U);
}

TYPED_TEST(Peers, HalfCloseWithDataStillUnderWay) {
  this->send_buffer = 4096;
  for (const auto transport : this->transports) {
    this->accepted = 0;
    this->serve(this->listen(transport), 1);
    this->against([&] {
      Peer peer{this->where};
      const Bytes message = pattern(100'000);
      std::thread sender{[&] {
        EXPECT_TRUE(peer.send(message));
        peer.finish_sending();
      }};
      EXPECT_EQ(peer.receive(message.size()), message);
      sender.join();
      EXPECT_TRUE(peer.at_end());
    });
  }
  EXPECT_EQ(this->broken, 0U);
}

TYPED_TEST(Peers, EndWithoutAnyData) {
  this->serve(this->listen(), 2);
  this->against([&] {
    { const Peer gone{this->where}; }
    Peer half{this->where};
    half.finish_sending();
    EXPECT_TRUE(half.at_end());
  });
  EXPECT_EQ(this->ended, 2U);
  EXPECT_EQ(this->broken, 0U);
}

TYPED_TEST(Peers, AResetEndsItsOwnTaskOnly) {
  for (const auto transport : this->transports) {
    this->accepted = this->ended = this->broken = 0;
    this->serve(this->listen(transport), 3);
    this->against([&] {
      Peer steady{this->where};
      Peer waited_for{this->where};  // the server waits in a read
      this->expect_served(waited_for, 1);
      waited_for.reset();
      this->expect_served(steady);
      Peer unread{this->where};  // data that nobody has read is thrown away
      EXPECT_TRUE(unread.send(pattern(10'000)));
      unread.reset();
      this->expect_served(steady);
    });
    EXPECT_EQ(this->ended, 3U);
  }
}

TYPED_TEST(Peers, AResetReachesATaskThatWaitsForRoom) {
  this->send_buffer = 4096;
  this->serve(this->listen(), 2);
  this->against([&] {
    Peer steady{this->where};
    Peer mute{this->where};
    mute.receive_little();
    this->fill(mute);
    mute.reset();
    eventually([&] { return this->ended == 1; });
    this->expect_served(steady);
  });
  EXPECT_EQ(this->broken, 1U);
}

TYPED_TEST(Peers, OneThatNeverReadsCostsNoMemoryAndStopsNobody) {
  this->send_buffer = 4096;
  this->serve(this->listen(), 2);
  this->against([&] {
    Peer steady{this->where};
    this->expect_served(steady);
    const std::size_t before = mallinfo2().uordblks;
    Peer mute{this->where};
    mute.receive_little();
    this->fill(mute);
    this->expect_served(steady);
    EXPECT_LT(mallinfo2().uordblks, before + (256 << 10))
        << "the server collects what it cannot send";
  });
  EXPECT_EQ(this->ended, 2U);
}

TYPED_TEST(Peers, OneThatIsAlwaysBusyStopsNobody) {
  this->serve(this->listen(), 2);
  this->against([&] {
    Peer busy{this->where};
    std::atomic<bool> enough{false};
    std::atomic<std::size_t> sent{0};
    std::thread sender{[&] {
      const Bytes flood = pattern(1 << 16);
      while (!enough && busy.send(flood)) {
        sent += flood.size();
      }
      busy.finish_sending();
    }};
    std::size_t received = 0;
    std::thread receiver{[&] {
      for (Bytes part = busy.receive(4096); !part.empty(); part = busy.receive(4096)) {
        received += part.size();
      }
    }};
    eventually([&] { return sent != 0; });
    Peer steady{this->where};
    this->expect_served(steady, 200);
    enough = true;
    sender.join();
    receiver.join();
    EXPECT_EQ(received, sent);
  });
}

}  // namespace
}  // namespace contract
