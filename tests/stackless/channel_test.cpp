// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "tests/stackless/sync_fixture.hpp"

namespace stackless {
namespace {

using test::Counted;

TYPED_TEST_SUITE(Sync, Locks);

TYPED_TEST(Sync, AFullChannelHoldsItsSendersBack) {
  typename TestFixture::template Channel<int> channel{2};
  for (const int value : {1, 2}) {
    auto sent = channel.send(value);
    EXPECT_TRUE(this->one.poll(sent).take());
  }
  auto held_back = channel.send(3);
  EXPECT_TRUE(this->one.poll(held_back).is_pending());
  auto received = channel.receive();
  EXPECT_EQ(this->two.poll(received).take(), 1);
  EXPECT_EQ(this->one.wakes, 1);
  EXPECT_TRUE(this->one.poll(held_back).take());
  for (const int value : {2, 3}) {
    auto next = channel.receive();
    EXPECT_EQ(this->two.poll(next).take(), value);
  }
}

TYPED_TEST(Sync, AnEmptyChannelHoldsItsReceiversBack) {
  typename TestFixture::template Channel<std::unique_ptr<int>> channel{1};
  auto received = channel.receive();
  EXPECT_TRUE(this->one.poll(received).is_pending());
  auto sent = channel.send(std::make_unique<int>(7));
  EXPECT_TRUE(this->two.poll(sent).take());
  EXPECT_EQ(this->one.wakes, 1);
  EXPECT_EQ(**this->one.poll(received).take(), 7);
}

TYPED_TEST(Sync, AClosedChannelIsDrained) {
  typename TestFixture::template Channel<int> channel{1};
  auto sent = channel.send(1);
  EXPECT_TRUE(this->one.poll(sent).take());
  auto waiting = channel.send(2);
  EXPECT_TRUE(this->one.poll(waiting).is_pending());
  channel.close();
  EXPECT_FALSE(this->one.poll(waiting).take());
  auto left = channel.receive();
  EXPECT_EQ(this->two.poll(left).take(), 1);
  auto after = channel.receive();
  EXPECT_EQ(this->two.poll(after).take(), std::nullopt);
  auto late = channel.send(3);
  EXPECT_FALSE(this->one.poll(late).take());
}

TYPED_TEST(Sync, DroppedChannelFuturesLoseNothing) {
  int alive = 0;
  {
    typename TestFixture::template Channel<Counted> channel{1};
    {
      auto receiving = channel.receive();
      EXPECT_TRUE(this->one.poll(receiving).is_pending());
      auto sent = channel.send(Counted{alive});
      EXPECT_TRUE(this->two.poll(sent).take());
    }
    {
      auto held_back = channel.send(Counted{alive});
      EXPECT_TRUE(this->two.poll(held_back).is_pending());
      EXPECT_EQ(alive, 2);
    }
    EXPECT_EQ(alive, 1);
    auto received = channel.receive();
    EXPECT_TRUE(this->one.poll(received).take().has_value());
    auto sent = channel.send(Counted{alive});
    EXPECT_TRUE(this->two.poll(sent).take());
  }
  EXPECT_EQ(alive, 0);
}

TYPED_TEST(Sync, WhatIsSentFromItsPlaceStaysThereUntilItGoesIn) {
  typename TestFixture::template Channel<std::unique_ptr<int>> channel{1};
  auto value = std::make_unique<int>(7);
  auto first = channel.send(nullptr);
  EXPECT_TRUE(this->one.poll(first).take());
  {
    auto dropped = channel.send_from(value);
    EXPECT_TRUE(this->one.poll(dropped).is_pending());
  }
  EXPECT_TRUE(value);
  auto sent = channel.send_from(value);
  EXPECT_TRUE(this->one.poll(sent).is_pending());
  auto room = channel.receive();
  EXPECT_FALSE(*this->two.poll(room).take());
  EXPECT_TRUE(value) << "its turn, not its poll";
  EXPECT_TRUE(this->one.poll(sent).take());
  EXPECT_FALSE(value);
  channel.close();
  value = std::make_unique<int>(8);
  auto refused = channel.send_from(value);
  EXPECT_FALSE(this->one.poll(refused).take());
  EXPECT_EQ(*value, 8);
}

TYPED_TEST(Sync, AChannelIsDrainedWhenItsLastValueHasBeenTaken) {
  typename TestFixture::template Channel<int> channel{1};
  auto waits_too = channel.receive();
  auto late = channel.receive();
  {
    auto first = channel.receive();
    EXPECT_TRUE(this->one.poll(first).is_pending());
    EXPECT_TRUE(this->two.poll(waits_too).is_pending());
    auto sent = channel.send(1);
    EXPECT_TRUE(this->three.poll(sent).take());
    EXPECT_EQ(this->one.wakes, 1) << "it is on its way to the first";
    channel.close();
    EXPECT_EQ(this->two.wakes, 0);
    EXPECT_TRUE(this->three.poll(late).is_pending());
  }
  EXPECT_EQ(this->two.wakes, 1) << "which was dropped";
  EXPECT_EQ(this->two.poll(waits_too).take(), 1);
  EXPECT_EQ(this->three.wakes, 1);
  EXPECT_EQ(this->three.poll(late).take(), std::nullopt);
}

// ---- in use, between tasks and between threads

Async<> produce(auto& channel, int first, int count) {
  for (int value = first; value != first + count; ++value) {
    EXPECT_TRUE(co_await channel.send(value));
  }
}

Async<> consume(auto& channel, std::vector<int>& received) {
  while (auto value = co_await channel.receive()) received.push_back(*value);
}

TEST(Channel, TasksTakeTurnsOverASmallOne) {
  constexpr int count = 1000;
  Executor executor;
  Channel<int> channel{2};
  std::vector<int> received;
  ASSERT_FALSE(executor.spawn([&] { return consume(channel, received); }));
  ASSERT_FALSE(executor.spawn([&] {
    return [](Channel<int>& to) -> Async<> {
      co_await produce(to, 0, count);
      to.close();
    }(channel);
  }));
  executor.run();
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(received, all);
}

TEST(SharedChannel, JoinsExecutorsOnSeveralThreads) {
  constexpr int count = 5000;
  SharedChannel<int> channel{8};
  std::vector<std::jthread> producers;
  std::atomic<int> producing{2};
  for (int producer = 0; producer < 2; ++producer) {
    producers.emplace_back([&, producer] {
      Executor executor;
      EXPECT_FALSE(executor.spawn([&] { return produce(channel, producer * count, count); }));
      executor.run();
      if (--producing == 0) channel.close();
    });
  }
  Executor executor;
  std::vector<int> received;
  ASSERT_FALSE(executor.spawn([&] { return consume(channel, received); }));
  executor.run();
  std::sort(received.begin(), received.end());
  std::vector<int> all(2 * count);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(received, all);
}

/// Whoever is not in a hurry pauses after each release: a step that takes the lock twice is seen
/// half done by those who are.
class PolitelyReleased : public std::mutex {
 public:
  static inline thread_local bool in_a_hurry = false;
  void unlock() {
    std::mutex::unlock();
    if (!in_a_hurry) std::this_thread::sleep_for(std::chrono::microseconds{1});
  }
};
using PoliteChannel = BasicChannel<int, PolitelyReleased>;

/// Sends until the channel is closed; how often that went well.
Async<> send_until_closed(PoliteChannel& channel, std::atomic<int>& sent) {
  while (true) {
    const bool went_in = co_await channel.send(sent);
    if (!went_in) co_return;
    ++sent;
  }
}

TEST(SharedChannel, ClosedAtAnyMomentItLosesNothing) {
  PolitelyReleased::in_a_hurry = true;
  for (int round = 0; round < 200; ++round) {
    PoliteChannel channel{4};
    std::atomic<int> sent{0};
    std::vector<int> received;
    {
      const std::jthread sender{[&] {
        Executor executor;
        EXPECT_FALSE(executor.spawn([&] { return send_until_closed(channel, sent); }));
        executor.run();
      }};
      const std::jthread receiver{[&] {
        PolitelyReleased::in_a_hurry = true;
        Executor executor;
        EXPECT_FALSE(executor.spawn([&] { return consume(channel, received); }));
        executor.run();
      }};
      while (sent < round % 4) std::this_thread::yield();
      channel.close();
    }
    ASSERT_EQ(received.size(), static_cast<std::size_t>(sent.load())) << "in round " << round;
  }
}

}  // namespace
}  // namespace stackless
