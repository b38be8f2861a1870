// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/switch.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "harness/floors/blocks.hpp"
#include "harness/floors/calls.hpp"
#include "harness/floors/context_ring.hpp"
#include "harness/floors/futex_pair.hpp"
#include "harness/floors/inline_ring.hpp"
#include "harness/floors/poll_ring.hpp"
#include "harness/floors/ring.hpp"
#include "harness/floors/system_call.hpp"
#include "harness/floors/waker_ring.hpp"
#include "harness/floors/yield_pair.hpp"
#include "harness/pin.hpp"

namespace {

using namespace harness::floors;

template <class R>
std::vector<std::uint64_t> visits(const R& ring) {
  std::vector<std::uint64_t> all;
  for (std::size_t task = 0; task < ring.tasks(); ++task) all.push_back(ring.visits(task));
  return all;
}

template <class R>
class RingOfTasks : public testing::Test {};

using Rings = testing::Types<InlineRing, ContextRing, PollRing, WakerRing>;
TYPED_TEST_SUITE(RingOfTasks, Rings);

TYPED_TEST(RingOfTasks, HandsOnInOrderFromWhereItStopped) {
  TypeParam ring{5};
  EXPECT_EQ(visits(ring), (std::vector<std::uint64_t>{0, 0, 0, 0, 0}));
  ring.pass(1);
  EXPECT_EQ(visits(ring), (std::vector<std::uint64_t>{1, 0, 0, 0, 0}));
  ring.pass(2);
  EXPECT_EQ(visits(ring), (std::vector<std::uint64_t>{1, 1, 1, 0, 0}));
  ring.pass(4);
  EXPECT_EQ(visits(ring), (std::vector<std::uint64_t>{2, 2, 1, 1, 1}));
  EXPECT_TRUE(nobody_was_left_out(ring, 7));
  EXPECT_FALSE(nobody_was_left_out(ring, 6));
  EXPECT_FALSE(nobody_was_left_out(ring, 8));
}

#if defined(__SANITIZE_THREAD__)
constexpr std::size_t many = 5000;  // it knows no more than 8,128 threads and fibers
#else
constexpr std::size_t many = 30'000;
#endif

TYPED_TEST(RingOfTasks, IsRightAtEverySize) {
  for (const std::size_t tasks : {std::size_t{2}, std::size_t{3}, std::size_t{1000}, many}) {
    TypeParam ring{tasks};
    std::uint64_t hops = 0;
    for (const std::uint64_t pass : {1U, 7U, 100U, 59'999U}) {
      ring.pass(pass);
      hops += pass;
    }
    EXPECT_TRUE(nobody_was_left_out(ring, hops)) << tasks;
  }
}

/// The switches do not tell the compiler less than they destroy: what is live across `pass`
/// survives.
TYPED_TEST(RingOfTasks, LeavesTheCallersStateAlone) {
  TypeParam ring{3};
  volatile double seed = 1.5;
  double sums[16];
  for (int i = 0; i < 16; ++i) sums[i] = seed * i;
  std::uint64_t checksum = 0;
  for (std::uint64_t round = 1; round <= 100; ++round) {
    ring.pass(round);
    for (int i = 0; i < 16; ++i) sums[i] += seed;
    checksum += round;
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(sums[i], 1.5 * i + 150.0);
  EXPECT_TRUE(nobody_was_left_out(ring, checksum));
}

TEST(FutexPair, HandsOnBetweenTwoThreadsOnOneCpuAndOnTwo) {
  const auto cpus = harness::allowed_cpus().size();
  for (const bool apart : {false, true}) {
    if (apart && cpus < 2) GTEST_SKIP() << "one CPU only";
    std::thread{[apart] {  // the pair pins its maker
      FutexPair pair{apart};
      pair.pass(200);
      pair.pass(2);
      EXPECT_EQ(visits(pair), (std::vector<std::uint64_t>{101, 101}));
      EXPECT_TRUE(nobody_was_left_out(pair, 202));
    }}
        .join();
  }
}

TEST(FutexPair, CallsTheKernelOnlyToSleepAndToEndASleep) {
  std::thread{[] {
    FutexPair pair{false};
    pair.pass(1000);
    EXPECT_GT(pair.calls(), 0U);
    EXPECT_LE(pair.calls(), 2001U);  // a wait and a wake a hop; and the partner's first wait
  }}.join();
}

TEST(YieldPair, CountsSwitchesNotCalls) {
  std::thread{[] {
    YieldPair pair;
    std::uint64_t hops = 0;
    for (const std::uint64_t wanted : {1U, 10U, 1000U}) {
      const std::uint64_t made = pair.pass(wanted);
      EXPECT_GE(made, wanted);
      hops += made;
    }
    EXPECT_EQ(pair.visits(0) + pair.visits(1), hops);
    EXPECT_LE(pair.visits(0) - pair.visits(1) + 1, 2U);  // by turns
    EXPECT_GE(pair.calls() + 1, hops);
  }}.join();
}

TEST(SystemCall, EveryCallAnswers) {
  EXPECT_EQ(make_system_calls(1000), 1000U);
}

TEST(Blocks, EveryBlockHoldsWhatWasWritten) {
  Blocks blocks{100};
  EXPECT_EQ(blocks.come_and_go(1000), 1000U);
}

TEST(Calls, ComeBackThroughEveryLevel) {
  for (const std::size_t levels : {1U, 2U, 10U, 10'000U}) {
    EXPECT_EQ(go_down_and_come_back<one_more>(0, levels), levels);
  }
}

TEST(SwitchFloors, AreAllThereByTheirNames) {
  std::vector<std::string> rows;
  for (const auto& subject : harness::switch_floor_subjects()) {
    rows.push_back(std::string{subject.question} + "/" + std::string{subject.contender});
  }
  for (const auto& subject : harness::depth_floor_subjects()) {
    rows.push_back(std::string{subject.question} + "/" + std::string{subject.contender});
  }
  for (const auto& subject : harness::spawn_floor_subjects()) {
    rows.push_back(std::string{subject.question} + "/" + std::string{subject.contender});
  }
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "switch/floor-inline", "switch/floor-context", "switch/floor-poll",
                      "switch/floor-poll-waker", "switch/floor-syscall", "switch/floor-futex",
                      "switch/floor-yield", "depth/floor-calls", "spawn/floor-allocate"}));
}

}  // namespace
