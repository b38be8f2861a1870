// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/leaf_futures.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::do_once;
using test::repeat;
using test::Trace;
using test::wait_for_ever;

// ---- destruction of the executor

TEST(Teardown, DropsTheFuturesOfTasksInAnyPhase) {
  int alive = 0;
  Trace trace;
  Waker idle;
  Waker scheduled;
  {
    Executor executor;
    const auto held = [&](Waker& waker, std::string name) {
      return poll_fn([&, name, counted = Counted{alive}](Context& context) -> Poll<> {
        trace.push_back(name);
        waker.clone_from(context.waker());
        return pending;
      });
    };
    ASSERT_FALSE(executor.spawn([&] { return held(idle, "idle"); }));
    ASSERT_FALSE(executor.spawn([&] { return held(scheduled, "scheduled"); }));
    ASSERT_FALSE(executor.spawn([&] { return do_once([&] { executor.stop(); }); }));
    executor.run();
    ASSERT_FALSE(executor.spawn([&] { return held(idle, "never polled"); }));
    EXPECT_EQ(executor.live_tasks(), 3U);
    ASSERT_FALSE(executor.spawn([&] {
      return do_once([&] {
        scheduled.wake_by_ref();
        executor.stop();
      });
    }));
    executor.run();
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(trace, (Trace{"idle", "scheduled", "never polled", "scheduled"}));
  idle.wake_by_ref();  // outlives the executor
  std::thread{[waker = scheduled.clone()]() mutable {
    waker.wake();
  }}.join();
}

TEST(Teardown, StopFromAnotherThreadEndsAWait) {
  Executor executor;
  Trace trace;
  Waker waker;
  ASSERT_FALSE(executor.spawn([&] { return wait_for_ever(waker, trace, "waits"); }));
  std::jthread stopper;
  ASSERT_FALSE(executor.spawn([&] {
    return do_once([&] {
      stopper = std::jthread{[&] {
        executor.stop();
      }};
    });
  }));
  executor.run();
  EXPECT_EQ(executor.live_tasks(), 1U);
}

/// Busy until another thread, which it starts, has it stopped.
template <class E>
void destroy_while_stop_is_under_way(E executor) {
  std::thread stopper;
  EXPECT_FALSE(executor->spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      if (!stopper.joinable()) {
        stopper = std::thread{[stopped = executor.get()] {
          stopped->stop();
        }};
      }
      context.waker().wake_by_ref();
      return pending;
    });
  }));
  executor->run();
  executor.reset();
  stopper.join();
}

TEST(Teardown, WaitsForAStopThatIsUnderWay) {
  for (int round = 0; round < 100; ++round) {
    destroy_while_stop_is_under_way(std::make_unique<Executor>());
    destroy_while_stop_is_under_way(
        std::make_unique<ParallelExecutor>(ParallelOptions{.workers = 2}));
  }
}

/// A future whose destruction wakes others.
struct WakesWhenDropped : Immovable {
  using Output = void;
  Waker* other;
  ~WakesWhenDropped() { other->wake(); }
  static Poll<void> poll(Context&) { return pending; }
};

TEST(Teardown, PollsNobodyWhoIsWokenByIt) {
  Trace trace;
  Waker other;
  {
    Executor executor;
    ASSERT_FALSE(executor.spawn([&] { return WakesWhenDropped{{}, &other}; }));
    ASSERT_FALSE(executor.spawn([&] { return wait_for_ever(other, trace, "polled"); }));
    ASSERT_FALSE(executor.spawn([&] { return do_once([&] { executor.stop(); }); }));
    executor.run();
  }
  EXPECT_EQ(trace, (Trace{"polled"}));
}

/// Done at once, though another thread has woken it; collects that wake as it goes.
class CollectsAsItGoes : Immovable {
 public:
  using Output = void;

  explicit CollectsAsItGoes(bool& gone) noexcept : gone_{&gone} {}
  ~CollectsAsItGoes() {
    Executor::current().deliver_posts();
    *gone_ = true;
  }
  Poll<void> poll(Context& context) {
    std::jthread{[waker = context.waker().clone()]() mutable {
      waker.wake();
    }}.join();
    return ready;
  }

 private:
  bool* gone_;
};

TEST(Teardown, ATaskThatEndsMayCollectItsOwnWake) {
  Executor executor;
  bool gone = false;
  ASSERT_FALSE(executor.spawn([&] { return CollectsAsItGoes{gone}; }));
  executor.run();
  EXPECT_TRUE(gone);
  EXPECT_EQ(executor.live_tasks(), 0U);
}

// ---- fairness

TEST(Fairness, OtherThreadsAreHeardWithinThePollBudget) {
  Executor executor;
  Event event{executor};
  unsigned polls = 0;
  ASSERT_FALSE(executor.spawn([&] { return event.wait(); }));
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      if (polls++ == 0)
        std::thread{[&] {
          event.set();
        }}.join();
      context.waker().wake_by_ref();
      return executor.live_tasks() == 1 ? ready : Poll<>{pending};
    });
  }));
  executor.run();
  EXPECT_LE(polls, io::poll_budget + 2);
}

/// Always ready: it sets the event that it awaits.
Async<> be_greedy(Event& event, int rounds, Trace& trace) {
  for (int round = 0; round < rounds; ++round) {
    event.set();
    co_await event.wait();
  }
  trace.push_back("greedy ends");
}

TEST(Fairness, ATaskThatIsAlwaysReadyTakesTurns) {
  Executor executor;
  Event event{executor};
  Trace trace;
  constexpr int turns = 3;
  ASSERT_FALSE(executor.spawn([&] { return be_greedy(event, turns * 128, trace); }));
  ASSERT_FALSE(executor.spawn([&] { return repeat(turns, trace, "other"); }));
  executor.run();
  static_assert(operation_budget == 128);
  EXPECT_EQ(trace, (Trace{"other", "other", "greedy ends", "other"}));
}

}  // namespace
}  // namespace stackless
