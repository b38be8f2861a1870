// SPDX-License-Identifier: BSL-1.0
#include "harness/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include "harness/log_linear_axis.hpp"
#include "harness/shared_histogram.hpp"

namespace harness {
namespace {

constexpr double relative_error = 1.0 / 64;

std::uint64_t nearest_rank(std::vector<std::uint64_t> values, double percent) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-6);
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

void expect_as_sorted(const Histogram& histogram, const std::vector<std::uint64_t>& values) {
  for (const double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    const std::uint64_t truth = nearest_rank(values, percent);
    const std::uint64_t told = histogram.percentile(percent);
    EXPECT_GE(told, truth) << percent;
    EXPECT_LE(static_cast<double>(told - truth), relative_error * static_cast<double>(truth))
        << percent;
  }
}

TEST(LogLinearAxis, BucketsTouchAndAreNarrow) {
  for (int bucket = 0; bucket + 1 < LogLinearAxis::size(); ++bucket) {
    const std::uint64_t lower = LogLinearAxis::lower(bucket);
    const std::uint64_t upper = LogLinearAxis::upper(bucket);
    ASSERT_EQ(LogLinearAxis::index(lower), bucket);
    ASSERT_EQ(LogLinearAxis::index(upper), bucket);
    ASSERT_EQ(LogLinearAxis::index(upper + 1), bucket + 1);
    ASSERT_LE(static_cast<double>(upper - lower), relative_error * static_cast<double>(lower));
  }
  EXPECT_EQ(LogLinearAxis::lower(0), 0u);
  EXPECT_EQ(LogLinearAxis::index(UINT64_MAX), LogLinearAxis::size() - 1);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.percentile(50), 50u);
  EXPECT_EQ(histogram.percentile(99), 99u);
  EXPECT_EQ(histogram.percentile(100), 100u);
  EXPECT_EQ(histogram.min(), 1u);
  EXPECT_EQ(histogram.mean(), 50.5);
}

TEST(Histogram, AgreesWithSorting) {
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> spread{11, 3};
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 50'000; ++i) {
    values.push_back(static_cast<std::uint64_t>(spread(random)));
    histogram.record(values.back());
  }
  expect_as_sorted(histogram, values);
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.count(), values.size());
}

TEST(Histogram, MergingIsAddingNotAveraging) {
  Histogram fast, slow;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 9'900; ++i) {
    fast.record(1'000 + i);
    values.push_back(1'000 + i);
  }
  for (std::uint64_t i = 0; i < 100; ++i) {
    slow.record(40'000'000 + i);
    values.push_back(40'000'000 + i);
  }
  fast.add(slow);
  expect_as_sorted(fast, values);
  EXPECT_EQ(fast.max(), 40'000'099u);
  EXPECT_LE(fast.percentile(99), 11'100u);
  EXPECT_GT(fast.percentile(99.1), 39'000'000u);
}

TEST(Histogram, HalfAnHourAndBeyondKeepTheExactMaximum) {
  Histogram histogram;
  const std::uint64_t half_an_hour = 1'800'000'000'000;
  histogram.record(half_an_hour);
  EXPECT_EQ(histogram.percentile(50), half_an_hour);
  histogram.record(UINT64_MAX / 2);
  histogram.record(UINT64_MAX / 2);
  EXPECT_EQ(histogram.percentile(60), UINT64_MAX / 2);
  EXPECT_EQ(histogram.max(), UINT64_MAX / 2);
}

TEST(Histogram, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.percentile(99), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_TRUE(histogram.buckets().empty());
}

TEST(Histogram, CopyAndClearAreIndependent) {
  Histogram original;
  original.record(5);
  Histogram copy = original;
  original.clear();
  original.record(7);
  EXPECT_EQ(copy.percentile(50), 5u);
  EXPECT_EQ(original.percentile(50), 7u);
  EXPECT_EQ(original.count(), 1u);
}

TEST(Histogram, CountsBetween) {
  Histogram histogram;
  for (const std::uint64_t value : {10u, 39'000'000u, 40'000'000u, 41'000'000u, 90'000'000u}) {
    histogram.record(value);
  }
  EXPECT_EQ(histogram.count_between(38'000'000, 48'000'000), 3u);
}

TEST(Histogram, TravelsFlatAndArrivesWhole) {
  Histogram sent;
  for (const std::uint64_t value : {0UL, 17UL, 123'456UL, 123'456UL, 987'654'321UL}) {
    sent.record(value);
    const auto arrived = Histogram::unflatten(sent.flatten());
    EXPECT_EQ(arrived.count(), sent.count());
    EXPECT_EQ(arrived.min(), sent.min());
    EXPECT_EQ(arrived.max(), sent.max());
    EXPECT_DOUBLE_EQ(arrived.mean(), sent.mean());
    for (const double percent : {1.0, 50.0, 99.0}) {
      EXPECT_EQ(arrived.percentile(percent), sent.percentile(percent)) << percent;
    }
  }
  EXPECT_EQ(Histogram::unflatten(Histogram{}.flatten()).count(), 0U);
}

TEST(SharedHistogram, HoldsWhatManyThreadsRecordAtOnce) {
  SharedHistogram shared;
  Histogram one_by_one;
  EXPECT_EQ(shared.collect().count(), 0U);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 1; thread != 5; ++thread) {
      for (std::uint64_t i = 0; i != 10'000; ++i) one_by_one.record(thread * i);
      threads.emplace_back([&shared, thread] {
        for (std::uint64_t i = 0; i != 10'000; ++i) shared.record(thread * i);
      });
    }
  }
  EXPECT_EQ(shared.count(), 40'000U);
  EXPECT_EQ(shared.collect().flatten(), one_by_one.flatten());
}

TEST(Histogram, AListOfAnotherKindIsAnEmptyOne) {
  EXPECT_EQ(Histogram::unflatten({}).count(), 0U);
  const double cut_short[] = {0, 1, 5, 0};
  EXPECT_EQ(Histogram::unflatten(cut_short).count(), 0U);
}

}  // namespace
}  // namespace harness
