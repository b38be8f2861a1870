// SPDX-License-Identifier: BSL-1.0
#include "stackless/event.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "stackless/coroutine.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::FaultsThrow;
using test::Probe;

/// Runs `body` as a task, so that sets are the owner's.
template <class Body>
void as_task(Executor& executor, Body body) {
  ASSERT_FALSE(executor.spawn([&]() -> Async<> {
    return [](Body run) -> Async<> {
      run();
      co_return;
    }(body);
  }));
  executor.run();
}

TEST(Event, IsStickyAndResetsItself) {
  Executor executor;
  as_task(executor, [&] {
    Event event{executor};
    Probe probe;
    event.set();
    event.set();
    Event::Wait first = event.wait();
    EXPECT_TRUE(probe.poll(first).is_ready());
    Event::Wait second = event.wait();
    EXPECT_TRUE(probe.poll(second).is_pending());
    event.set();
    EXPECT_EQ(probe.wakes, 1);
    EXPECT_TRUE(probe.poll(second).is_ready());
  });
}

TEST(Event, WakesOncePerWait) {
  Executor executor;
  as_task(executor, [&] {
    Event event{executor};
    Probe probe;
    Event::Wait wait = event.wait();
    EXPECT_TRUE(probe.poll(wait).is_pending());
    EXPECT_TRUE(probe.poll(wait).is_pending());
    event.set();
    event.set();
    EXPECT_EQ(probe.wakes, 1);
  });
}

TEST(Event, ClonesNoWakerForATaskThatWaitsAgain) {
  Executor executor;
  Probe probe;
  as_task(executor, [&] {
    Event event{executor};
    for (int i = 0; i < 3; ++i) {
      Event::Wait wait = event.wait();
      EXPECT_TRUE(probe.poll(wait).is_pending());
      event.set();
      EXPECT_TRUE(probe.poll(wait).is_ready());
    }
    EXPECT_EQ(probe.clones, 1);
  });
  EXPECT_EQ(probe.references, 0);
}

TEST(Event, WakesTheTaskThatPolledLast) {
  Executor executor;
  as_task(executor, [&] {
    Event event{executor};
    Probe before;
    Probe after;
    Event::Wait wait = event.wait();
    EXPECT_TRUE(before.poll(wait).is_pending());
    EXPECT_TRUE(after.poll(wait).is_pending());
    event.set();
    EXPECT_EQ(before.wakes, 0);
    EXPECT_EQ(after.wakes, 1);
    EXPECT_TRUE(after.poll(wait).is_ready());
  });
}

TEST(Event, LosesNothingWhenAWaitIsDropped) {
  Executor executor;
  as_task(executor, [&] {
    Event event{executor};
    Probe probe;
    {
      Event::Wait wait = event.wait();
      EXPECT_TRUE(probe.poll(wait).is_pending());
    }
    EXPECT_EQ(probe.references, 0);
    event.set();
    EXPECT_EQ(probe.wakes, 0);
    Event::Wait wait = event.wait();
    EXPECT_TRUE(probe.poll(wait).is_ready());
  });
}

TEST(Event, RefusesPollsAfterCompletion) {
  Executor executor;
  as_task(executor, [&] {
    const FaultsThrow faults_throw;
    Event event{executor};
    Probe probe;
    event.set();
    Event::Wait wait = event.wait();
    EXPECT_TRUE(probe.poll(wait).is_ready());
    EXPECT_THROW(static_cast<void>(probe.poll(wait)), test::Fault);
  });
}

Async<> wait_for(Event& event, int& taken) {
  co_await event.wait();
  ++taken;
}

TEST(Event, IsSetByOtherThreads) {
  Executor executor;
  Event event{executor};
  int taken = 0;
  ASSERT_FALSE(executor.spawn([&] { return wait_for(event, taken); }));
  std::jthread setter{[&] {
    event.set();
  }};
  executor.run();
  EXPECT_EQ(taken, 1);
}

TEST(Event, IsSetBeforeRun) {
  Executor executor;
  Event event{executor};
  int taken = 0;
  event.set();
  event.set();
  ASSERT_FALSE(executor.spawn([&] { return wait_for(event, taken); }));
  executor.run();
  EXPECT_EQ(taken, 1);
}

TEST(Event, CanBeDestroyedWithASetUndelivered) {
  Executor executor;
  auto event = std::make_unique<Event>(executor);
  event->set();
  event.reset();
  as_task(executor, [] {});
}

Async<> own_event(Executor& executor, std::atomic<Event*>& shared) {
  Event event{executor};
  shared.store(&event, std::memory_order_release);
  co_await event.wait();
}

TEST(Event, MayBeDestroyedByItsWaiterWhileTheSetterIsStillOnItsWay) {
  constexpr int rounds = 20'000;
  Executor executor;
  std::atomic<Event*> shared{nullptr};
  std::jthread setter{[&] {
    for (int i = 0; i < rounds; ++i) {
      Event* event = nullptr;
      while ((event = shared.exchange(nullptr, std::memory_order_acquire)) == nullptr) {
        std::this_thread::yield();
      }
      event->set();
    }
  }};
  ASSERT_FALSE(executor.spawn([&] {
    return [](Executor& on, std::atomic<Event*>& slot) -> Async<> {
      for (int i = 0; i < rounds; ++i) co_await own_event(on, slot);
    }(executor, shared);
  }));
  executor.run();
}

}  // namespace
}  // namespace stackless
