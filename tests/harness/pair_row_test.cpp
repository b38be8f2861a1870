// SPDX-License-Identifier: BSL-1.0
#include "harness/pair_row.hpp"

#include <gtest/gtest.h>

#include "tests/harness/pair_row_fixture.hpp"

namespace harness {
namespace {

TEST(PairRow, CleanPairIsTrusted) {
  const Row row = pair_row(clean(), closed_loop());
  EXPECT_FALSE(row.doubted());
  EXPECT_DOUBLE_EQ(*row.get("cpu_vs_floor"), 1.05);
  EXPECT_DOUBLE_EQ(*row.get("reads_per_op"), 1);
  EXPECT_DOUBLE_EQ(*row.get("writes_per_op"), 1);
  EXPECT_DOUBLE_EQ(*row.get("registrations_per_connection"), 1);
  EXPECT_DOUBLE_EQ(*row.get("syscalls_per_op"), 2.05);
  EXPECT_DOUBLE_EQ(*row.get("floor_syscalls_per_op"), 2.1);
  EXPECT_DOUBLE_EQ(*row.get("ops_per_wait"), 20);
  EXPECT_DOUBLE_EQ(*row.get("allocs_per_op"), 0);
  EXPECT_FALSE(row.get("floor_allocs_per_op")) << "the floor does not count them";
  EXPECT_FALSE(row.get("offered_ops_per_s")) << "nothing is offered in closed loop";
}

/// Rounds between whose two values an interval lies: it reaches from the one to the other.
Row row_of_rounds(double low, double high) {
  PairFigures figures = clean();
  figures.clients["cpu_ratios"] = std::vector<double>(10, low);
  figures.clients["cpu_ratios"].insert(figures.clients["cpu_ratios"].end(), 10, high);
  Row row = pair_row(figures, closed_loop());
  EXPECT_DOUBLE_EQ(*row.get("cpu_vs_floor_low"), low);
  EXPECT_DOUBLE_EQ(*row.get("cpu_vs_floor_high"), high);
  return row;
}

TEST(PairRow, ARatioKnownNoBetterThanFromSeparateRunsIsDoubted) {
  EXPECT_EQ(row_of_rounds(0.57, 1.02).label(), "wide: cpu_vs_floor") << "large messages";
  EXPECT_EQ(row_of_rounds(1.05, 1.35).label(), "wide: cpu_vs_floor");
}

TEST(PairRow, ARatioOfFewButHonestRoundsIsTrusted) {
  EXPECT_FALSE(row_of_rounds(2.26, 2.42).doubted()) << "threads with 1,000 connections for 2 s";
  EXPECT_FALSE(row_of_rounds(2.19, 2.49).doubted()) << "and for less";
}

TEST(PairRow, ARampThatOverflowedABacklogIsDoubted) {
  PairFigures figures = clean();
  figures.clients["turned_away"] = {0};
  EXPECT_FALSE(pair_row(figures, closed_loop()).doubted());
  figures.clients["turned_away"] = {2};
  const Row row = pair_row(figures, closed_loop());
  EXPECT_DOUBLE_EQ(*row.get("turned_away"), 2);
  EXPECT_TRUE(row.doubted("cpu_vs_floor"));
  EXPECT_TRUE(row.doubted("floor_p99_ns"));
  EXPECT_EQ(row.label().rfind("backlog-overflow: ", 0), 0u) << row.label();
}

TEST(PairRow, FewRoundsAreNoRatio) {
  PairFigures figures = clean();
  figures.clients["cpu_ratios"] = {1.0, 1.1};
  EXPECT_TRUE(pair_row(figures, closed_loop()).doubted("cpu_vs_floor"));
}

TEST(PairRow, ForeignServerWithoutProcessHasNoRatio) {
  PairFigures figures = clean();
  figures.server.clear();
  figures.clients.erase("cpu_ratios");
  figures.clients.erase("server_cpu_ns_per_op");
  const Row row = pair_row(figures, closed_loop());
  EXPECT_FALSE(row.get("cpu_vs_floor"));
  EXPECT_FALSE(row.get("reads_per_op"));
  EXPECT_TRUE(row.get("ops_per_s"));
}

TEST(PairRow, TooManyErrorsOnEitherSideFailTheRow) {
  for (const std::string prefix : {"", "floor_"}) {
    PairFigures figures = clean();
    load::Plan plan;
    plan.connections = 2'000;
    figures.clients[prefix + "errors"] = {10};
    EXPECT_NO_THROW(pair_row(figures, plan));
    figures.clients[prefix + "errors"] = {11};
    EXPECT_THROW(pair_row(figures, plan), Failure) << "of 10,000 messages";
    figures.clients[prefix + "operations"] = {10'000'000};
    EXPECT_NO_THROW(pair_row(figures, plan));
    figures.clients[prefix + "errors"] = {21};
    EXPECT_THROW(pair_row(figures, plan), Failure) << "of 2,000 connections";
  }
}

TEST(PairRow, AConnectionLostOnEitherSideSpoilsWhatIsSaidOfThatManyConnections) {
  for (const std::string prefix : {"", "floor_"}) {
    PairFigures figures = clean();
    load::Plan plan;
    plan.connections = 1'000;
    figures.clients[prefix + "errors"] = {1};
    figures.clients[prefix + "errors_timeout"] = {1};
    const Row row = pair_row(figures, plan);
    EXPECT_DOUBLE_EQ(*row.get(prefix + "errors_timeout"), 1);
    EXPECT_TRUE(row.doubted("cpu_vs_floor"));
    EXPECT_TRUE(row.doubted(prefix + "ops_per_s"));
    EXPECT_TRUE(row.doubted(prefix + "p50_ns"));
    EXPECT_EQ(row.doubted("ops_per_s"), prefix.empty()) << "the other side is whole";
  }
}

TEST(PairRow, WorkPutOffUntilTheOthersTurnSpoilsTheRatio) {
  PairFigures figures = clean();
  figures.clients["cpu_between_slices"] = {0.001};
  EXPECT_FALSE(pair_row(figures, closed_loop()).doubted("cpu_vs_floor"));
  figures.clients["floor_cpu_between_slices"] = {0.1};
  const Row row = pair_row(figures, closed_loop());
  EXPECT_TRUE(row.doubted("cpu_vs_floor"));
  EXPECT_FALSE(row.doubted("server_cpu_ns_per_op"));
  EXPECT_FALSE(row.doubted("ops_per_s"));
}

}  // namespace
}  // namespace harness
