// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "stackless/channel.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "stackless/notify.hpp"
#include "stackless/semaphore.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::FaultsThrow;
using test::Probe;
using test::Trace;

// The same for the plain kind and the one with a lock.
template <class Lock>
struct Sync : testing::Test {
  using Semaphore = BasicSemaphore<Lock>;
  using Notify = BasicNotify<Lock>;
  template <class T>
  using Channel = BasicChannel<T, Lock>;

  Probe one;
  Probe two;
  Probe three;
};
using Locks = testing::Types<NoLock, std::mutex>;
TYPED_TEST_SUITE(Sync, Locks);

// ---- semaphore

TYPED_TEST(Sync, PermitsComeBack) {
  typename TestFixture::Semaphore semaphore{1};
  auto first = semaphore.acquire();
  auto second = semaphore.acquire();
  {
    const auto permit = this->one.poll(first).take();
    EXPECT_TRUE(permit);
    EXPECT_TRUE(this->two.poll(second).is_pending());
    EXPECT_FALSE(semaphore.try_acquire());
  }
  EXPECT_EQ(this->two.wakes, 1);
  EXPECT_FALSE(semaphore.try_acquire()) << "it is on its way to the second";
  EXPECT_TRUE(this->two.poll(second).take());
  EXPECT_TRUE(semaphore.try_acquire());
}

TYPED_TEST(Sync, ALargeRequestIsNotOvertaken) {
  typename TestFixture::Semaphore semaphore{2};
  auto large = semaphore.acquire(3);
  auto small = semaphore.acquire(1);
  EXPECT_TRUE(this->one.poll(large).is_pending());
  EXPECT_TRUE(this->two.poll(small).is_pending());
  semaphore.release();
  EXPECT_EQ(this->one.wakes, 1);
  EXPECT_EQ(this->two.wakes, 0);
  { const auto permits = this->one.poll(large).take(); }
  EXPECT_EQ(this->two.wakes, 1);
  EXPECT_TRUE(this->two.poll(small).take());
}

TYPED_TEST(Sync, ADroppedAcquireLetsTheNextPass) {
  typename TestFixture::Semaphore semaphore{2};
  auto small = semaphore.acquire(2);
  {
    auto large = semaphore.acquire(3);
    EXPECT_TRUE(this->one.poll(large).is_pending());
    EXPECT_TRUE(this->two.poll(small).is_pending());
  }
  EXPECT_EQ(this->one.references, 0);
  EXPECT_EQ(this->two.wakes, 1);
  EXPECT_TRUE(this->two.poll(small).take());
}

TYPED_TEST(Sync, PermitsOnTheirWayToADroppedAcquireGoToTheNext) {
  typename TestFixture::Semaphore semaphore{0};
  auto next = semaphore.acquire();
  {
    auto first = semaphore.acquire();
    EXPECT_TRUE(this->one.poll(first).is_pending());
    EXPECT_TRUE(this->two.poll(next).is_pending());
    semaphore.release();
    EXPECT_EQ(this->one.wakes, 1);
  }
  EXPECT_EQ(this->two.wakes, 1);
  EXPECT_TRUE(this->two.poll(next).take());
}

TYPED_TEST(Sync, AClosedSemaphoreGivesWhatItHas) {
  typename TestFixture::Semaphore semaphore{1};
  auto waiting = semaphore.acquire(2);
  EXPECT_TRUE(this->one.poll(waiting).is_pending());
  semaphore.close();
  EXPECT_EQ(this->one.wakes, 1);
  EXPECT_FALSE(this->one.poll(waiting).take());
  auto there = semaphore.acquire();
  auto permit = this->one.poll(there).take();
  EXPECT_TRUE(permit);
  auto not_there = semaphore.acquire();
  EXPECT_FALSE(this->one.poll(not_there).take());
}

// ---- notify

TYPED_TEST(Sync, NotifyOneIsRememberedOnce) {
  typename TestFixture::Notify notify;
  notify.notify_one();
  notify.notify_one();
  auto first = notify.notified();
  auto second = notify.notified();
  EXPECT_TRUE(this->one.poll(first).is_ready());
  EXPECT_TRUE(this->two.poll(second).is_pending());
  notify.notify_one();
  EXPECT_TRUE(this->two.poll(second).is_ready());
}

TYPED_TEST(Sync, NotifyOneWakesTheOneWhoWaitsLongest) {
  typename TestFixture::Notify notify;
  auto first = notify.notified();
  auto second = notify.notified();
  EXPECT_TRUE(this->one.poll(first).is_pending());
  EXPECT_TRUE(this->two.poll(second).is_pending());
  notify.notify_one();
  EXPECT_EQ(this->one.wakes, 1);
  EXPECT_EQ(this->two.wakes, 0);
  EXPECT_TRUE(this->two.poll(second).is_pending()) << "spurious";
  EXPECT_TRUE(this->one.poll(first).is_ready());
}

TYPED_TEST(Sync, NotifyAllWakesThoseWhoWaitNow) {
  typename TestFixture::Notify notify;
  notify.notify_all();
  auto first = notify.notified();
  auto second = notify.notified();
  EXPECT_TRUE(this->one.poll(first).is_pending()) << "not remembered";
  EXPECT_TRUE(this->two.poll(second).is_pending());
  notify.notify_all();
  EXPECT_TRUE(this->one.poll(first).is_ready());
  EXPECT_TRUE(this->two.poll(second).is_ready());
}

TYPED_TEST(Sync, ANotificationOfADroppedOneGoesToTheNext) {
  typename TestFixture::Notify notify;
  auto next = notify.notified();
  {
    auto first = notify.notified();
    EXPECT_TRUE(this->one.poll(first).is_pending());
    EXPECT_TRUE(this->two.poll(next).is_pending());
    notify.notify_one();
  }
  EXPECT_EQ(this->two.wakes, 1);
  EXPECT_TRUE(this->two.poll(next).is_ready());
  {
    auto last = notify.notified();
    EXPECT_TRUE(this->one.poll(last).is_pending());
    notify.notify_one();
  }
  auto later = notify.notified();
  EXPECT_TRUE(this->three.poll(later).is_ready()) << "remembered again";
}

// ---- channel

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

TYPED_TEST(Sync, PollsAfterCompletionAreRefused) {
  const FaultsThrow faults_throw;
  typename TestFixture::Semaphore semaphore{5};
  auto acquired = semaphore.acquire();
  EXPECT_TRUE(this->one.poll(acquired).is_ready());
  EXPECT_THROW(static_cast<void>(this->one.poll(acquired)), test::Fault);
  typename TestFixture::Notify notify;
  notify.notify_one();
  auto notified = notify.notified();
  EXPECT_TRUE(this->one.poll(notified).is_ready());
  EXPECT_THROW(static_cast<void>(this->one.poll(notified)), test::Fault);
  typename TestFixture::template Channel<int> channel{1};
  auto sent = channel.send(1);
  EXPECT_TRUE(this->one.poll(sent).is_ready());
  EXPECT_THROW(static_cast<void>(this->one.poll(sent)), test::Fault);
  auto received = channel.receive();
  EXPECT_TRUE(this->one.poll(received).is_ready());
  EXPECT_THROW(static_cast<void>(this->one.poll(received)), test::Fault);
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

}  // namespace
}  // namespace stackless
