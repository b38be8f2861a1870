// SPDX-License-Identifier: BSL-1.0
#include "stackless/run_ring.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace stackless {
namespace {

using Ring = RunRing<int>;

struct Rings : testing::Test {
  Rings() {
    for (int i = 0; i < static_cast<int>(items.size()); ++i) items[static_cast<std::size_t>(i)] = i;
  }
  static std::vector<int> drain(Ring& from) {
    std::vector<int> all;
    while (const int* item = from.pop()) all.push_back(*item);
    return all;
  }
  std::vector<int> items = std::vector<int>(1000);
  Ring ring;
  Ring other;
};

TEST_F(Rings, FirstInFirstOut) {
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.pop(), nullptr);
  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_TRUE(ring.push(items[i]));
  EXPECT_FALSE(ring.empty());
  EXPECT_EQ(drain(ring), (std::vector{0, 1, 2}));
}

TEST_F(Rings, RefuseWhatDoesNotFit) {
  for (std::size_t i = 0; i != Ring::capacity; ++i) EXPECT_TRUE(ring.push(items[i]));
  EXPECT_FALSE(ring.push(items[999]));
  EXPECT_EQ(*ring.pop(), 0);
  EXPECT_TRUE(ring.push(items[999]));
}

TEST_F(Rings, StealHalfFromTheHead) {
  EXPECT_EQ(ring.steal(other), nullptr);
  for (std::size_t i = 0; i != 5; ++i) EXPECT_TRUE(ring.push(items[i]));
  EXPECT_EQ(*ring.steal(other), 0);
  EXPECT_EQ(drain(other), (std::vector{1, 2}));
  EXPECT_EQ(*ring.steal(other), 3);
  EXPECT_EQ(drain(other), (std::vector<int>{}));
  EXPECT_EQ(drain(ring), (std::vector{4}));
}

TEST_F(Rings, LoseNothingHoweverFullTheThiefIs) {
  for (std::size_t there = 0; there <= Ring::capacity; there += 32) {
    for (std::size_t held = 0; held <= Ring::capacity; held += 8) {
      for (std::size_t i = 0; i != there; ++i) EXPECT_TRUE(ring.push(items[i]));
      for (std::size_t i = 0; i != held; ++i) EXPECT_TRUE(other.push(items[there + i]));
      std::vector<int> all;
      if (const int* first = ring.steal(other)) all.push_back(*first);
      for (Ring* from : {&ring, &other}) {
        for (const int item : drain(*from)) all.push_back(item);
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, std::vector<int>(items.begin(), items.begin() + std::ptrdiff_t(there + held)))
          << there << ", " << held;
    }
  }
}

TEST_F(Rings, HandOutEachItemOnceUnderThieves) {
  constexpr std::size_t count = 200'000;
  std::vector<std::atomic<int>> taken(count);
  std::vector<std::size_t> numbers(count);
  for (std::size_t i = 0; i != count; ++i) numbers[i] = i;
  RunRing<std::size_t> owned;
  std::atomic<bool> over{false};
  const auto take = [&](const std::size_t* item) {
    taken[*item].fetch_add(1);
  };
  std::vector<std::jthread> thieves;
  for (int thief = 0; thief < 2; ++thief) {
    thieves.emplace_back([&] {
      RunRing<std::size_t> mine;
      while (!over || !owned.empty()) {
        const std::size_t* item = owned.steal(mine);
        if (item == nullptr) std::this_thread::yield();
        for (; item != nullptr; item = mine.pop()) take(item);
      }
    });
  }
  for (std::size_t i = 0; i != count; ++i) {
    while (!owned.push(numbers[i])) {
      if (const std::size_t* item = owned.pop()) take(item);
    }
    if (i % 7 != 0) continue;
    if (const std::size_t* item = owned.pop()) take(item);
  }
  over = true;
  while (const std::size_t* item = owned.pop()) take(item);
  thieves.clear();
  for (const auto& times : taken) ASSERT_EQ(times, 1);
}

}  // namespace
}  // namespace stackless
