// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

#include "tests/harness/pair_row_fixture.hpp"

namespace harness {
namespace {

TEST(PairRowClients, BusyClientLimitsThroughputAndTailNotServerCpu) {
  PairFigures figures = clean();
  figures.clients["client_cpu_share"] = {0.97};
  const Row row = pair_row(figures, closed_loop());
  EXPECT_TRUE(row.doubted("ops_per_s"));
  EXPECT_TRUE(row.doubted("p99_ns"));
  EXPECT_FALSE(row.doubted("cpu_vs_floor"));
  EXPECT_FALSE(row.doubted("server_cpu_ns_per_op"));
  EXPECT_EQ(row.label().rfind("client-limited: ops_per_s", 0), 0u) << row.label();
}

TEST(PairRowClients, OthersOnItsCpusSpoilThroughputAndTailNotServerCpu) {
  PairFigures figures = clean();
  figures.clients["others_cpu_share"] = {0.02};
  EXPECT_FALSE(pair_row(figures, closed_loop()).doubted());
  figures.clients["others_cpu_share"] = {0.3};
  for (const auto& plan : {closed_loop(), open_loop()}) {
    const Row row = pair_row(figures, plan);
    EXPECT_TRUE(row.doubted("ops_per_s"));
    EXPECT_TRUE(row.doubted("floor_p99_ns"));
    EXPECT_FALSE(row.doubted("cpu_vs_floor"));
  }
}

TEST(PairRowClients, AClientWithoutACpuOfItsOwnTellsNoThroughputAndNoLatency) {
  PairFigures figures = clean();
  figures.one_cpu = true;
  for (const auto& plan : {closed_loop(), open_loop()}) {
    const Row row = pair_row(figures, plan);
    EXPECT_EQ(row.label().rfind("shared-cpu: ops_per_s p50_ns", 0), 0u) << row.label();
    EXPECT_TRUE(row.doubted("floor_p99_ns"));
    EXPECT_FALSE(row.doubted("cpu_vs_floor"));
  }
}

TEST(PairRowClients, TellsWhatItsClientCouldHaveDone) {
  const Row row = pair_row(clean(), closed_loop());
  EXPECT_DOUBLE_EQ(*row.get("client_ceiling_ops_per_s"), 100'000) << "50,000 took half of its CPU";
  EXPECT_FALSE(row.get("floor_client_ceiling_ops_per_s")) << "its share is not known here";
}

TEST(PairRowClients, OverloadIsNamedAndSpoilsAllOfThatSide) {
  PairFigures figures = clean();
  figures.clients["achieved_share"] = {0.7};
  figures.clients["overtime_share"] = {5};
  figures.clients["unanswered"] = {3'000};
  const Row row = pair_row(figures, open_loop());
  for (const char* counter : {"ops_per_s", "p99_ns", "server_cpu_ns_per_op", "cpu_vs_floor"}) {
    EXPECT_TRUE(row.doubted(counter)) << counter;
  }
  EXPECT_FALSE(row.doubted("floor_p99_ns"));
  EXPECT_EQ(row.label().rfind("overloaded: ", 0), 0u) << row.label();
  EXPECT_EQ(row.label().find("client-limited"), std::string::npos);
  EXPECT_DOUBLE_EQ(*row.get("offered_ops_per_s"), 1'000);
  EXPECT_DOUBLE_EQ(*row.get("ops_per_s"), 50'000) << "the rate achieved";
  EXPECT_DOUBLE_EQ(*row.get("unanswered"), 3'000);
}

TEST(PairRowClients, OverloadOfTheClientItselfIsNamedToo) {
  PairFigures figures = clean();
  figures.clients["achieved_share"] = {0.7};
  figures.clients["client_cpu_share"] = {0.97};
  const Row row = pair_row(figures, open_loop());
  EXPECT_NE(row.label().find("client-limited: ops_per_s"), std::string::npos) << row.label();
}

TEST(PairRowClients, MessagesThatAllCameButLateAreBehindTheScheduleToo) {
  PairFigures figures = clean();
  figures.clients["achieved_share"] = {1};
  figures.clients["overtime_share"] = {0.02};
  EXPECT_FALSE(pair_row(figures, open_loop()).doubted("p99_ns"));
  figures.clients["overtime_share"] = {0.4};
  const Row row = pair_row(figures, open_loop());
  EXPECT_EQ(row.label().rfind("behind-schedule: ops_per_s", 0), 0u) << row.label();
}

TEST(PairRowClients, LateClientIsDoubted) {
  PairFigures figures = clean();
  figures.clients["achieved_share"] = {1};
  figures.clients["lag_p99_ns"] = {50'000};
  EXPECT_FALSE(pair_row(figures, open_loop()).doubted("p99_ns"));
  figures.clients["lag_p99_ns"] = {500'000};
  EXPECT_TRUE(pair_row(figures, open_loop()).doubted("p99_ns"));
}

TEST(PairRowClients, PlateauIsTold) {
  PairFigures figures = clean();
  figures.clients["delayed_ack_plateau"] = {1};
  const Row row = pair_row(figures, closed_loop());
  EXPECT_NE(row.label().find("delayed-ack"), std::string::npos);
  EXPECT_TRUE(row.doubted("p99_ns"));
  EXPECT_FALSE(row.doubted("floor_p99_ns"));
}

TEST(PairRowClients, EachSideIsJudgedByItsOwnClients) {
  PairFigures figures = clean();
  figures.clients["floor_client_cpu_share"] = {0.97};
  const Row row = pair_row(figures, closed_loop());
  EXPECT_TRUE(row.doubted("floor_ops_per_s"));
  EXPECT_FALSE(row.doubted("ops_per_s"));
}

}  // namespace
}  // namespace harness
