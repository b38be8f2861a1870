// SPDX-License-Identifier: BSL-1.0
#include "harness/bootstrap.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace harness {
namespace {

TEST(Bootstrap, MedianOfFewIsExact) {
  EXPECT_EQ(bootstrap_median(std::vector{3.0, 1.0, 2.0}).middle, 2.0);
  EXPECT_EQ(bootstrap_median(std::vector{4.0, 1.0, 2.0, 3.0}).middle, 2.5);
  const Interval one = bootstrap_median(std::vector{7.0});
  EXPECT_EQ(one.low, 7.0);
  EXPECT_EQ(one.high, 7.0);
  EXPECT_TRUE(std::isnan(bootstrap_median({}).middle));
}

TEST(Bootstrap, SameValuesSameInterval) {
  const std::vector values{1.0, 5.0, 2.0, 8.0, 3.0, 9.0, 4.0};
  EXPECT_EQ(bootstrap_median(values).low, bootstrap_median(values).low);
  EXPECT_EQ(bootstrap_median(values).high, bootstrap_median(values).high);
}

TEST(Bootstrap, IntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random{11};
  std::normal_distribution<double> noise{1.0, 0.1};
  int held = 0;
  constexpr int runs = 200;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values(40);
    for (double& value : values) value = noise(random);
    const Interval interval = bootstrap_median(values);
    EXPECT_LE(interval.low, interval.middle);
    EXPECT_GE(interval.high, interval.middle);
    held += interval.low <= 1.0 && 1.0 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, runs * 88 / 100);  // 95 %, with room for the chance of 200 runs
}

}  // namespace
}  // namespace harness
