// SPDX-License-Identifier: BSL-1.0
#include "harness/verdict/validity.hpp"

#include <array>
#include <gtest/gtest.h>

#include "harness/verdict/saturation.hpp"

namespace harness::verdict {
namespace {

Row row_of(double lower, double median, double upper, double cpu_share) {
  Row row;
  row.set_batches("ns_per_switch", std::array{lower, median, upper, median, median});
  row.set("ns_per_switch_q1", lower);
  row.set("ns_per_switch_q3", upper);
  row.set("cpu_share", cpu_share);
  row.set("heap_bytes_per_task", 128);
  return row;
}

TEST(Validity, KnowsTimingsByTheirUnit) {
  for (const auto* timing : {"ns_per_switch", "server_cpu_ns_per_op", "p99_ns", "lateness_p99_ns",
                             "ops_per_s", "create_ns_per_task", "elapsed_vs_one", "speedup"}) {
    EXPECT_TRUE(is_timing(timing)) << timing;
  }
  for (const auto* other :
       {"heap_bytes_per_task", "cpu_vs_floor", "syscalls_per_op", "errors", "ns_per_switch_q1",
        "ns_per_switch_batches", "ops_per_wait", "speedup_q1", "elapsed_vs_one_batches"}) {
    EXPECT_FALSE(is_timing(other)) << other;
  }
}

TEST(Validity, OfSteadyBatchesOnACpuOfTheirOwnIsNotDoubted) {
  Row row = row_of(9.9, 10, 10.1, 0.99);
  judge_batches(row, true);
  judge_machine(row, {}, {}, "tsc");
  EXPECT_FALSE(row.doubted());
}

TEST(Validity, FallsWithTheSpreadOfTheBatches) {
  Row row = row_of(9, 10, 12, 0.99);
  judge_batches(row, true);
  EXPECT_EQ(row.label(), "noisy: ns_per_switch");
}

TEST(Validity, FallsWithTheCpuThatOthersTook) {
  Row shared = row_of(10, 10, 10, 0.5);
  judge_batches(shared, true);
  EXPECT_EQ(shared.label(), "noisy: ns_per_switch");
  Row waiting = row_of(10, 10, 10, 0.5);
  judge_batches(waiting, false);  // between CPUs it waits by itself
  EXPECT_FALSE(waiting.doubted());
}

TEST(Validity, FallsWithTheCpuThatOthersHadMeanwhile) {
  for (const double share : {0.05, 0.2}) {
    Row row;
    row.set("speedup", 1.9);
    row.set("elapsed_vs_one", 1.1);
    row.set("lateness_p99_ns", 5000);
    row.set("disturbances", 4);
    row.set("others_cpu_share", share);
    Row late = row;
    judge_others(row);
    judge_others(late, &is_lateness);
    EXPECT_EQ(row.label(), share < 0.1 ? "" : "noisy: speedup elapsed_vs_one lateness_p99_ns");
    EXPECT_EQ(late.label(), share < 0.1 ? "" : "noisy: lateness_p99_ns");
  }
}

Row row_of_timers(double missed, double costed_share) {
  Row row;
  row.set("lateness_p99_ns", 5000);
  row.set("cpu_ns_per_timer", 600);
  row.set("timers_per_s", 1e5);
  row.set("planned", 1000);
  row.set("missed", missed);
  row.set("costed_share", costed_share);
  judge_saturation(row);
  return row;
}

TEST(Validity, OfTimersFallsWhereThereWasMoreToDoThanTime) {
  EXPECT_EQ(row_of_timers(10, 0.8).label(), "");
  EXPECT_EQ(row_of_timers(11, 0.8).label(), "saturated: lateness_p99_ns");
  EXPECT_EQ(row_of_timers(0, 0.7).label(), "saturated: cpu_ns_per_timer timers_per_s");
}

TEST(Validity, FallsWithThrottlingAndASlowClockForTimingsOnly) {
  Row throttled = row_of(10, 10, 10, 1);
  judge_machine(throttled, {.by_heat = 1, .by_quota = 0}, {.by_heat = 2, .by_quota = 0}, "tsc");
  EXPECT_EQ(throttled.label(), "throttled: ns_per_switch");
  Row slow = row_of(10, 10, 10, 1);
  judge_machine(slow, {}, {}, "hpet");
  EXPECT_EQ(slow.label(), "slow-clock: ns_per_switch");
  EXPECT_FALSE(slow.doubted("heap_bytes_per_task"));
}

}  // namespace
}  // namespace harness::verdict
