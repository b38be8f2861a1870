// SPDX-License-Identifier: BSL-1.0
#include "harness/json.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace harness {
namespace {

TEST(Json, FieldsKeepTheirOrderAndNonNumbersAreLeftOut) {
  const std::string text = json_text({{"name", std::string{"a \"quoted\" name\n"}},
                                      {"count", std::uint64_t{3}},
                                      {"share", 0.5},
                                      {"nothing", std::numeric_limits<double>::quiet_NaN()},
                                      {"endless", std::numeric_limits<double>::infinity()},
                                      {"ok", true},
                                      {"batches", std::vector<double>{1, 2.5}}});
  EXPECT_EQ(text,
            "{\n  \"name\": \"a \\\"quoted\\\" name\\n\",\n  \"count\": 3,\n"
            "  \"share\": 0.5,\n  \"ok\": true,\n  \"batches\": [\n    1.0,\n    2.5\n  ]\n}");
}

TEST(Json, HistogramReturnsAsItWas) {
  std::mt19937_64 random{3};
  Histogram histogram;
  for (int i = 0; i < 1'000; ++i) histogram.record(random() >> (random() % 40 + 20));
  std::error_code error;
  const Histogram back =
      histogram_from_json(json_text({{"latency_ns", &histogram}}), "latency_ns", error);
  ASSERT_FALSE(error);
  EXPECT_EQ(back.count(), histogram.count());
  EXPECT_EQ(back.min(), histogram.min());
  EXPECT_EQ(back.max(), histogram.max());
  EXPECT_NEAR(back.mean(), histogram.mean(), 1e-6 * histogram.mean());
  for (const double percent : {1.0, 50.0, 99.0, 99.9}) {
    EXPECT_EQ(back.percentile(percent), histogram.percentile(percent));
  }
}

TEST(Json, WhatIsNoHistogramIsRefused) {
  for (const char* text : {"", "{", "[]", "{\"h\": 3}", "{\"h\": {\"buckets\": [[1]]}}",
                           "{\"h\": {\"buckets\": \"x\", \"min\": 1, \"max\": 1, \"mean\": 1}}"}) {
    std::error_code error;
    histogram_from_json(text, "h", error);
    EXPECT_EQ(error, std::errc::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace harness
