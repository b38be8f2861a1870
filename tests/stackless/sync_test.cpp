// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

#include "tests/stackless/sync_fixture.hpp"

namespace stackless {
namespace {

using test::FaultsThrow;

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

// ---- other people's code under a lock

struct WatchedLock {
  static inline int held = 0;
  static void lock() { ++held; }
  static void unlock() { --held; }
};

/// A task whose last reference may be any: its waker is to be woken and dropped under no lock.
struct Touchy : Wakeable {
  Touchy() : Wakeable{&table} {}
  template <class F>
  void leave_waker(F& future) {
    const BorrowedWaker waker{*this};
    Context context{waker.waker()};
    EXPECT_TRUE(future.poll(context).is_pending());
  }
  static void touched(Wakeable&) noexcept {
    EXPECT_EQ(WatchedLock::held, 0);
    ++touches;
  }
  static void clone(Wakeable&) noexcept {}
  static inline int touches = 0;
  static constexpr WakerOperations table{&clone, &touched, &touched, &touched};
};

/// One task waits, another one in its place, and then nobody; each in its turn, or again by a wake.
template <class Make, class Wake>
void wait_change_and_leave(Make make, Wake wake) {
  Touchy one;
  Touchy two;
  for (const bool woken : {false, true}) {
    Touchy::touches = 0;
    auto future = make();
    one.leave_waker(future);
    two.leave_waker(future);
    EXPECT_EQ(Touchy::touches, 1) << "the first is dropped";
    if (woken) wake();
  }
  EXPECT_EQ(Touchy::touches, 2);
}

TEST(SyncUnderLock, WakesAndDropsNobody) {
  BasicSemaphore<WatchedLock> semaphore{0};
  wait_change_and_leave([&] { return semaphore.acquire(); }, [&] { semaphore.release(); });
  BasicNotify<WatchedLock> notify;
  wait_change_and_leave([&] { return notify.notified(); }, [&] { notify.notify_all(); });
  BasicChannel<int, WatchedLock> empty{1};
  wait_change_and_leave([&] { return empty.receive(); }, [&] { empty.close(); });
  BasicChannel<int, WatchedLock> full{1};
  test::Probe probe;
  auto first = full.send(1);
  EXPECT_TRUE(probe.poll(first).take());
  wait_change_and_leave([&] { return full.send(2); }, [&] { full.close(); });
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

}  // namespace
}  // namespace stackless
