// SPDX-License-Identifier: BSL-1.0
#include "harness/doorbell.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <semaphore>
#include <thread>

#include "harness/floors/eventfd_wake.hpp"
#include "harness/pin.hpp"
#include "harness/row.hpp"
#include "tests/harness/port_reader.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

/// Answers until it is over, on a thread that may be kept on a CPU; returns how often it was woken.
std::uint64_t answer_all(Doorbell& bell, std::uint64_t& asked) {
  std::uint64_t woken = 0;
  std::thread{[&] {
    std::binary_semaphore door{0};
    const auto outside = bell.ring_from_the_other_cpu([&] {
      ++asked;
      door.release();
    });
    do {
      door.acquire();
      ++woken;
    } while (bell.answer());
  }}.join();
  return woken;
}

TEST(Doorbell, WakesOnceAtATimeAndSaysWhenItIsOver) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU is allowed";
  PortReader parent;
  Doorbell bell{20ms};
  std::uint64_t asked = 0;
  const std::uint64_t woken = answer_all(bell, asked);
  EXPECT_EQ(woken, asked);
  EXPECT_EQ(bell.rung() + 1, asked) << "the last one is none";
  bell.report_with_calls(parent.port);
  EXPECT_GT(parent.results().at("ns_per_wake"), 0);
  EXPECT_EQ(parent.results().at("syscalls_per_wake"), 0) << "none that the rooms would count";
  EXPECT_EQ(parent.failure(), "");
}

TEST(Doorbell, TheFloorSleepsInTheKernelToo) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU is allowed";
  PortReader parent{20ms};
  std::thread{[&parent] {
    floors::eventfd_wake().run(parent.port, *Cell::parse("wake/floor-eventfd/from:thread"));
  }}.join();
  EXPECT_EQ(parent.failure(), "");
  EXPECT_GE(parent.results().at("syscalls_per_wake"), 2) << "a write and a wait";
}

TEST(Doorbell, WithoutAWakeThereIsNoFigure) {
  PortReader parent;
  const Doorbell bell{20ms};
  bell.report(parent.port);
  EXPECT_EQ(parent.failure(), "wrong: nobody was woken");
  EXPECT_TRUE(parent.results().empty());
}

TEST(Doorbell, NeedsTwoCpus) {
  std::thread{[] {
    pin_this_thread(0);
    Doorbell bell{20ms};
    EXPECT_THROW(static_cast<void>(bell.ring_from_the_other_cpu([] {})), Failure);
  }}.join();
}

}  // namespace
}  // namespace harness
