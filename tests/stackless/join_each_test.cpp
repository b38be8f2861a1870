// SPDX-License-Identifier: BSL-1.0
#include "stackless/join_each.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/allocations.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/join_all.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::FaultsThrow;
using test::Probe;
using test::Trace;

/// Ready when `done`; counts its polls, and leaves its waker to whoever wants to wake it.
struct Gate {
  Waker waker;
  bool done = false;
  int polls = 0;
};

class PassGate {
 public:
  using Output = int;

  PassGate(Gate& gate, Counted counted) : gate_{&gate}, counted_{counted} {}
  PassGate(const PassGate&) = delete;

  Poll<int> poll(Context& context) {
    ++gate_->polls;
    if (gate_->done) return gate_->polls;
    gate_->waker.clone_from(context.waker());
    return pending;
  }

 private:
  Gate* gate_;
  Counted counted_;
};

struct JoinsEach : testing::Test {
  auto make() {
    return [this](std::size_t child) {
      return PassGate{gates[child], Counted{alive}};
    };
  }
  void open(std::size_t child) {
    gates[child].done = true;
    gates[child].waker.wake();
  }
  std::vector<int> polls() const {
    std::vector<int> all;
    for (const Gate& gate : gates) all.push_back(gate.polls);
    return all;
  }

  int alive = 0;
  std::deque<Gate> gates{4};
  Probe probe;
};

TEST_F(JoinsEach, PollsOnlyWhoWasWoken) {
  Trace trace;
  auto joined =
      join_each(4, make(), [&](std::size_t child, int) { trace.push_back(std::to_string(child)); });
  EXPECT_EQ(alive, 4);
  EXPECT_TRUE(probe.poll(joined).is_pending());
  EXPECT_EQ(polls(), (std::vector{1, 1, 1, 1}));
  EXPECT_TRUE(probe.poll(joined).is_pending()) << "spurious";
  EXPECT_EQ(polls(), (std::vector{1, 1, 1, 1}));
  gates[2].waker.wake_by_ref();
  EXPECT_EQ(probe.wakes, 1);
  EXPECT_TRUE(probe.poll(joined).is_pending());
  EXPECT_EQ(polls(), (std::vector{1, 1, 2, 1}));
  open(3);
  open(1);
  EXPECT_TRUE(probe.poll(joined).is_pending());
  EXPECT_EQ(trace, (Trace{"3", "1"})) << "in the order of waking";
  EXPECT_EQ(alive, 2) << "a child goes when it is done";
  open(0);
  open(2);
  EXPECT_TRUE(probe.poll(joined).is_ready());
  EXPECT_EQ(polls(), (std::vector{2, 2, 3, 2}));
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(probe.references, 0);
}

TEST_F(JoinsEach, OfNothingIsReady) {
  auto joined = join_all(0, make());
  EXPECT_TRUE(probe.poll(joined).take().empty());
}

TEST_F(JoinsEach, JoinAllKeepsTheOrder) {
  auto joined = join_all(3, make());
  EXPECT_TRUE(probe.poll(joined).is_pending());
  gates[1].waker.wake_by_ref();
  EXPECT_TRUE(probe.poll(joined).is_pending());
  for (const std::size_t child : {2U, 1U, 0U}) open(child);
  EXPECT_EQ(probe.poll(joined).take(), (std::vector{2, 3, 2}));
}

TEST_F(JoinsEach, WakersOutliveTheJoin) {
  {
    auto joined = join_all(4, make());
    EXPECT_TRUE(probe.poll(joined).is_pending());
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(probe.references, 0);
  gates[0].waker.wake_by_ref();
  gates[1].waker.wake();
  EXPECT_EQ(probe.wakes, 0);
}

TEST_F(JoinsEach, WakesTheTaskThatPolledLast) {
  Probe later;
  auto joined = join_all(4, make());
  EXPECT_TRUE(probe.poll(joined).is_pending());
  EXPECT_TRUE(later.poll(joined).is_pending());
  gates[0].waker.wake_by_ref();
  EXPECT_EQ(probe.wakes, 0);
  EXPECT_EQ(later.wakes, 1);
}

TEST_F(JoinsEach, AFactoryThatThrowsLeavesNothing) {
  const auto throwing = [&](std::size_t child) {
    if (child == 2) throw std::runtime_error{"no"};
    return PassGate{gates[child], Counted{alive}};
  };
  EXPECT_THROW(static_cast<void>(join_all(4, throwing)), std::runtime_error);
  EXPECT_EQ(alive, 0);
}

TEST_F(JoinsEach, RefusesPollsAfterCompletion) {
  const FaultsThrow faults_throw;
  auto joined = join_all(0, make());
  EXPECT_TRUE(probe.poll(joined).is_ready());
  EXPECT_THROW(static_cast<void>(probe.poll(joined)), test::Fault);
}

TEST_F(JoinsEach, ABlockIsUsedAgainAndAllocatesNothing) {
  JoinBlock<PassGate, 4> block;
  const auto before = harness::allocations();
  for (int round = 0; round < 3; ++round) {
    auto joined = join_each(block, 4, make(), [](std::size_t, int) {});
    EXPECT_TRUE(block.in_use());
    EXPECT_TRUE(probe.poll(joined).is_pending());
    for (std::size_t child = 0; child < 4; ++child) open(child);
    EXPECT_TRUE(probe.poll(joined).is_ready());
    EXPECT_FALSE(block.in_use());
    for (Gate& gate : gates) gate.done = false;
  }
  EXPECT_EQ(harness::allocations(), before);
}

TEST_F(JoinsEach, ABlockRefusesWhatItCannotHold) {
  const FaultsThrow faults_throw;
  JoinBlock<PassGate, 4> block;
  const auto join = [&](std::size_t count) {
    return join_each(block, count, make(), [](std::size_t, int) {});
  };
  EXPECT_THROW(static_cast<void>(join(5)), test::Fault);
  {
    auto first = join(1);
    EXPECT_THROW(static_cast<void>(join(1)), test::Fault);
    EXPECT_TRUE(probe.poll(first).is_pending());
  }
  EXPECT_TRUE(block.in_use()) << "the gate still has a waker";
  gates[0].waker.reset();
  EXPECT_FALSE(block.in_use());
}

Async<> wait_for_all(std::deque<Event>& events, std::size_t& done) {
  co_await join_each(
      events.size(), [&](std::size_t child) { return events[child].wait(); },
      [&](std::size_t, Unit) { ++done; });
}

TEST(JoinEach, ChildrenAreWokenByManyThreads) {
  constexpr std::size_t children = 1000;
  Executor executor;
  std::deque<Event> events;
  for (std::size_t child = 0; child < children; ++child) events.emplace_back(executor);
  std::size_t done = 0;
  ASSERT_FALSE(executor.spawn([&] { return wait_for_all(events, done); }));
  std::vector<std::jthread> setters;
  for (const std::size_t first : {0U, 1U}) {
    setters.emplace_back([&, first] {
      for (std::size_t child = first; child < children; child += 2) events[child].set();
    });
  }
  executor.run();
  EXPECT_EQ(done, children);
}

/// Children whose wakers are woken directly by other threads.
TEST(JoinEach, LosesNoWakeOfAnotherThread) {
  constexpr int rounds = 200;
  Executor executor;
  int done = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::jthread> threads;
    ASSERT_FALSE(executor.spawn([&] {
      return join_each(
          3,
          [&](std::size_t) {
            return poll_fn([&, first = true](Context& context) mutable -> Poll<> {
              if (!std::exchange(first, false)) return ready;
              threads.emplace_back([waker = context.waker().clone()]() mutable { waker.wake(); });
              return pending;
            });
          },
          [&](std::size_t, Unit) { ++done; });
    }));
    executor.run();
  }
  EXPECT_EQ(done, 3 * rounds);
}

}  // namespace
}  // namespace stackless
