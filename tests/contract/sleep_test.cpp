// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/contract/contenders.hpp"

namespace contract {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

template <class C>
struct Sleeping : Case<C> {
  using typename Case<C>::Script;

  static Script sleep(io::TimePoint deadline, std::atomic<std::size_t>& woken) {
    co_await Sleep{deadline};
    EXPECT_GE(io::Clock::now(), deadline) << "woken early";
    ++woken;
  }

  static Script tick(io::TimePoint start, io::Duration period, int ticks) {
    for (int i = 1; i <= ticks; ++i) {
      co_await Sleep{start + i * period};
      EXPECT_GE(io::Clock::now(), start + i * period) << "woken early";
    }
  }

  static Script note_order(io::TimePoint deadline, io::Duration margin, std::size_t who,
                           std::vector<std::size_t>& order, bool& too_late) {
    too_late = too_late || io::Clock::now() + margin / 2 > deadline;
    co_await Sleep{deadline};
    order.push_back(who);
  }

  /// In which order sleepers wake whose deadlines ascend with their number, but who lie down in
  /// another; empty when some lay down too late for it to mean anything.
  std::vector<std::size_t> order_of_waking(const std::vector<std::size_t>& lying_down,
                                           io::Duration margin) {
    std::vector<std::size_t> order;
    bool too_late = false;
    const io::TimePoint start = io::Clock::now() + margin;
    for (const std::size_t who : lying_down) {
      this->spawn(note_order(start + microseconds{500 * who}, margin, who, order, too_late));
    }
    this->runtime.run();
    return too_late ? std::vector<std::size_t>{} : order;
  }
};
TYPED_TEST_SUITE(Sleeping, ContendersAndMigrating, Names);

TYPED_TEST(Sleeping, NeverEndsEarly) {
  constexpr std::size_t tasks = 300;
  std::atomic<std::size_t> woken{0};
  const io::TimePoint start = io::Clock::now();
  for (std::size_t i = 0; i < tasks; ++i) {
    // Around the wheel's tick, on both sides of it, and over several of its levels.
    this->spawn(this->sleep(start + microseconds{i * i / 2}, woken));
  }
  this->runtime.run();
  EXPECT_EQ(woken, tasks);
}

TYPED_TEST(Sleeping, AMomentThatHasPassedEndsAtOnce) {
  std::atomic<std::size_t> woken{0};
  this->spawn(this->sleep(io::TimePoint::min(), woken));
  this->spawn(this->sleep(io::TimePoint{}, woken));
  this->spawn(this->sleep(io::Clock::now(), woken));
  this->runtime.run();
  EXPECT_EQ(woken, 3U);
}

TYPED_TEST(Sleeping, ThousandsSleepAtOnce) {
  constexpr std::size_t tasks = 3000;
  std::atomic<std::size_t> woken{0};
  const io::TimePoint start = io::Clock::now();
  for (std::size_t i = 0; i < tasks; ++i) {
    this->spawn(this->sleep(start + milliseconds{100 + i % 50}, woken));
  }
  this->runtime.run();
  EXPECT_EQ(woken, tasks);
}

TYPED_TEST(Sleeping, ManyWakeAtTheSameMoment) {
  constexpr std::size_t tasks = 1000;
  std::atomic<std::size_t> woken{0};
  const io::TimePoint deadline = io::Clock::now() + milliseconds{50};
  for (std::size_t i = 0; i < tasks; ++i) {
    this->spawn(this->sleep(deadline, woken));
  }
  this->runtime.run();
  EXPECT_EQ(woken, tasks);
}

TYPED_TEST(Sleeping, AScheduleIsKeptTickByTick) {
  const io::TimePoint start = io::Clock::now();
  for (int i = 0; i < 20; ++i) {
    this->spawn(this->tick(start, microseconds{100 + 37 * i}, 50));
  }
  this->runtime.run();
}

// One worker wakes its sleepers in the order of their deadlines, however late it is. Which of two
// kernel threads goes first is the kernel's business.
TYPED_TEST(Sleeping, OneWorkerKeepsTheOrderOfDeadlines) {
  if constexpr (TestFixture::one_worker) {
    std::vector<std::size_t> shuffled(200);
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      shuffled[i] = i;
    }
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937{2024});
    std::vector<std::size_t> order;
    for (io::Duration margin = milliseconds{50}; order.empty(); margin *= 2) {
      order = this->order_of_waking(shuffled, margin);
    }
    EXPECT_EQ(order.size(), shuffled.size());
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  }
}

}  // namespace
}  // namespace contract
