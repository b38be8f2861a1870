// SPDX-License-Identifier: BSL-1.0
#include "harness/row.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace harness {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Quartiles, AreThoseOfKnownValues) {
  const auto [lower, median, upper] = quartiles(std::array{5.0, 1.0, 4.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(lower, 2);
  EXPECT_DOUBLE_EQ(median, 3);
  EXPECT_DOUBLE_EQ(upper, 4);
  const auto even = quartiles(std::array{4.0, 1.0, 3.0, 2.0});
  EXPECT_DOUBLE_EQ(even.lower, 1.75);
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.upper, 3.25);
  EXPECT_DOUBLE_EQ(quartiles(std::array{7.0}).upper, 7);
}

TEST(Quartiles, HaveNoValueWithoutValues) {
  EXPECT_TRUE(std::isnan(quartiles({}).median));
  EXPECT_TRUE(std::isnan(quartiles(std::array{nan, infinity}).lower));
  EXPECT_DOUBLE_EQ(quartiles(std::array{nan, 3.0}).median, 3);
}

TEST(Row, LeavesOutWhatJsonCannotSay) {
  Row row;
  row.set("a", 1);
  row.set("b", nan);
  row.set("c", infinity);
  row.set("a", nan);  // a figure that turned out to be none
  EXPECT_EQ(row.get("a"), std::nullopt);
  EXPECT_TRUE(row.counters().empty());
  row.set_batches("d", std::array{nan, nan});
  EXPECT_EQ(row.get("d"), std::nullopt);
  EXPECT_EQ(row.get("d_q1"), std::nullopt);
}

TEST(Row, TurnsBatchesIntoMedianAndQuartiles) {
  Row row;
  row.set_all({{"ns_per_switch", {3, 1, 2}}, {"errors", {0}}});
  EXPECT_EQ(row.get("ns_per_switch"), 2);
  EXPECT_EQ(row.get("ns_per_switch_q1"), 1.5);
  EXPECT_EQ(row.get("ns_per_switch_q3"), 2.5);
  EXPECT_EQ(row.get("ns_per_switch_batches"), 3);
  EXPECT_EQ(row.get("errors"), 0);
  EXPECT_EQ(row.get("errors_q1"), std::nullopt);
}

TEST(Row, LabelsWhatIsDoubtedAndWhy) {
  Row row;
  row.doubt("client-limited", "ops_per_s");
  row.doubt("noisy", "p99_ns");
  row.doubt("client-limited", "p99_ns");
  row.doubt("client-limited", "p99_ns");
  row.note("guard madvise");
  EXPECT_EQ(row.label(), "client-limited: ops_per_s p99_ns; noisy: p99_ns; guard madvise");
  EXPECT_TRUE(row.doubted("ops_per_s"));
  EXPECT_FALSE(row.doubted("server_cpu_ns_per_op"));
}

TEST(Failure, KnowsWhatIsNoDefect) {
  EXPECT_FALSE(Failure{"refused: pid_max reached=1 limit=1"}.is_defect());
  EXPECT_FALSE(Failure{"interrupted: by a signal"}.is_defect());
  for (const auto* defect : {"failed: x", "wrong: x", "timeout: x", "crashed: SIGSEGV"}) {
    EXPECT_TRUE(Failure{defect}.is_defect()) << defect;
  }
}

}  // namespace
}  // namespace harness
