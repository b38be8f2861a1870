// SPDX-License-Identifier: BSL-1.0
#include "harness/ledger.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Fit, FindsTheLineThatIsThere) {
  const Line line = fit(std::array<Point, 5>{{{0, 7}, {1, 9}, {2, 11}, {3, 13}, {4, 15}}});
  EXPECT_DOUBLE_EQ(line.slope, 2);
  EXPECT_DOUBLE_EQ(line.intercept, 7);
}

TEST(Fit, IsTheLeastSquaresSolutionOfAKnownExample) {
  // Anscombe's first set (1973): y = 3.00 + 0.500 x.
  const std::array<Point, 11> points{{{10, 8.04},
                                      {8, 6.95},
                                      {13, 7.58},
                                      {9, 8.81},
                                      {11, 8.33},
                                      {14, 9.96},
                                      {6, 7.24},
                                      {4, 4.26},
                                      {12, 10.84},
                                      {7, 4.82},
                                      {5, 5.68}}};
  const Line line = fit(points);
  EXPECT_NEAR(line.slope, 0.50009, 1e-5);
  EXPECT_NEAR(line.intercept, 3.00009, 1e-5);
}

TEST(Fit, KnowsHowFarItIsFromItsPoints) {
  const std::array<Point, 4> bent{{{0, 0}, {1, 1}, {2, 1}, {3, 2}}};
  EXPECT_NEAR(fit(bent).slope_error, std::sqrt(0.2 / 2 / 5), 1e-12);
  EXPECT_EQ(fit(std::array<Point, 3>{{{0, 1}, {1, 2}, {2, 3}}}).slope_error, 0);
  EXPECT_EQ(fit(std::array<Point, 2>{{{0, 1}, {1, 5}}}).slope_error, 0) << "nothing to tell it by";
}

TEST(Fit, HasNoSlopeThroughOnePlace) {
  EXPECT_TRUE(std::isnan(fit({}).slope));
  EXPECT_TRUE(std::isnan(fit(std::array<Point, 2>{{{3, 1}, {3, 2}}}).slope));
}

/// A process of which everything is known.
Snapshot made_up(std::uint64_t tasks) {
  Snapshot snapshot;
  snapshot.resident = 1'000'000 + 4096 * tasks;
  snapshot.page_tables = 50'000 + 16 * tasks;
  snapshot.virtual_size = 9'000'000 + 65'536 * tasks;
  snapshot.mappings = 40 + 2 * tasks;
  snapshot.threads = 1 + tasks;
  snapshot.kernel = 300'000 + 24'000 * tasks;
  snapshot.kernel_stacks = 16'384 * (1 + tasks);
  snapshot.slab = 5'000 * tasks;
  return snapshot;
}

TEST(Ledger, TellsWhatATaskCostsFromWhatTheProgramCosts) {
  Ledger ledger{1};
  for (const std::uint64_t tasks : {0U, 250U, 500U, 750U, 1000U}) {
    ledger.enter(tasks, made_up(tasks), 70'000.0 + 96.0 * static_cast<double>(tasks));
  }
  Row row;
  ledger.post(row, true);
  const auto expect = [&row](const char* counter, double value) {
    ASSERT_TRUE(row.get(counter)) << counter;
    EXPECT_NEAR(*row.get(counter), value, 1e-6) << counter;
  };
  expect("user_bytes_per_task", 4096);
  expect("kernel_bytes_per_task", 24'000);
  expect("heap_bytes_per_task", 96);
  expect("stack_bytes_per_task", 4000);
  expect("page_table_bytes_per_task", 16);
  expect("kernel_stack_bytes_per_task", 16'384);
  expect("slab_bytes_per_task", 5'000);
  expect("virtual_bytes_per_task", 65'536);
  expect("mappings_per_task", 2);
  expect("intercept_bytes", 1'300'000);
  EXPECT_EQ(row.label(), "");
}

/// What five photographs of up to `tasks` tasks say, each taken of a process that is changed first.
template <class Change>
Row row_of(std::uint64_t tasks, Change change, std::size_t cpus = 1) {
  Ledger ledger{cpus};
  for (std::uint64_t quarter = 0; quarter != 5; ++quarter) {
    const std::uint64_t alive = tasks * quarter / 4;
    Snapshot snapshot = made_up(alive);
    change(snapshot, alive);
    ledger.enter(alive, snapshot, 96.0 * static_cast<double>(alive));
  }
  Row row;
  ledger.post(row, false);
  return row;
}

TEST(Ledger, DoubtsASlopeBelowZero) {
  const Row row = row_of(1000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.resident = 9'000'000 - 2'900 * alive;
  });
  EXPECT_EQ(row.label(), "negative: user_bytes_per_task");
  const Row a_page_less = row_of(1000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.resident = alive == 1000 ? 995'904 : 1'000'000;
  });
  EXPECT_EQ(a_page_less.label(), "") << "that is as good as nothing";
  const Row a_hundredth_less = row_of(1'000'000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.slab = 300'000'000 - 240 * alive;
  });
  EXPECT_EQ(a_hundredth_less.label(), "") << "of what the task takes in all, so is that";
}

TEST(Ledger, DoubtsASlopeOfWhatIsNoLine) {
  const Row row = row_of(1000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.resident = 1'000'000 + 60 * alive * alive;
  });
  EXPECT_EQ(row.label(), "bent: user_bytes_per_task");
  const Row pages = row_of(1000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.resident += alive % 500 == 0 ? 0U : 4096U;
  });
  EXPECT_EQ(pages.label(), "") << "a page here and there";
}

TEST(Ledger, DoubtsWhatAPageDecides) {
  const Row row = row_of(2, [](Snapshot&, std::uint64_t) {});
  EXPECT_TRUE(row.doubted("user_bytes_per_task"));
  EXPECT_TRUE(row.doubted("slab_bytes_per_task"));
  EXPECT_FALSE(row.doubted("heap_bytes_per_task")) << "which is counted in bytes";
  const Row light = row_of(1000, [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.resident = 1'000'000 + 48 * alive;
    snapshot.kernel = 300'000;
    snapshot.kernel_stacks = 16'384;
    snapshot.slab = 0;
    snapshot.page_tables = 50'000;
  });
  EXPECT_TRUE(light.doubted("user_bytes_per_task")) << "4 bytes of 48 are more than 5 %";
}

TEST(Ledger, TakesAPageForEachCpuThatChargesTheKernelsMemory) {
  const auto light = [](Snapshot& snapshot, std::uint64_t alive) {
    snapshot.kernel = 300'000 + 200 * alive;
    snapshot.kernel_stacks = 16'384;
    snapshot.slab = 200 * alive;
  };
  EXPECT_EQ(row_of(100, light, 1).label(), "") << "41 bytes of 4,296";
  EXPECT_EQ(row_of(100, light, 2).label(), "");
  EXPECT_EQ(row_of(100, light, 16).label(),
            "resolution: kernel_bytes_per_task slab_bytes_per_task");
}

TEST(Ledger, LaysAShareOfTheLibrariesThatOthersTakeToNoTasksCharge) {
  Ledger ledger{1};
  for (const std::uint64_t tasks : {0U, 25U, 50U, 75U, 100U}) {
    Snapshot snapshot = made_up(tasks);
    snapshot.files = tasks == 0 ? 800'000 : 500'000;  // a load generator has come
    ledger.enter(tasks, snapshot, std::nullopt);
  }
  Row row;
  ledger.post(row, false);
  EXPECT_NEAR(*row.get("user_bytes_per_task"), 4096, 1e-6);
  EXPECT_NEAR(*row.get("intercept_bytes"), 2'100'000, 1e-6);
}

TEST(Ledger, LeavesOutWhatWasNotToBeSeen) {
  Ledger ledger{1};
  for (const std::uint64_t tasks : {0U, 10U, 20U}) {
    Snapshot snapshot = made_up(tasks);
    snapshot.kernel.reset();
    snapshot.slab.reset();
    ledger.enter(tasks, snapshot, std::nullopt);
  }
  Row row;
  ledger.post(row, false);
  for (const auto* counter : {"kernel_bytes_per_task", "slab_bytes_per_task", "heap_bytes_per_task",
                              "stack_bytes_per_task", "intercept_bytes"}) {
    EXPECT_EQ(row.get(counter), std::nullopt) << counter;
  }
  EXPECT_TRUE(row.get("user_bytes_per_task"));
}

TEST(Ledger, DoubtsWhatIsTheWholeMachines) {
  Ledger ledger{1};
  for (const std::uint64_t tasks : {0U, 100U, 200U}) {
    Snapshot snapshot = made_up(tasks);
    snapshot.origin = Snapshot::Origin::machine;
    ledger.enter(tasks, snapshot, std::nullopt);
  }
  Row row;
  ledger.post(row, false);
  EXPECT_TRUE(row.doubted("slab_bytes_per_task"));
  EXPECT_TRUE(row.doubted("kernel_bytes_per_task"));
  EXPECT_FALSE(row.doubted("user_bytes_per_task"));
  EXPECT_NEAR(*row.get("intercept_bytes"), 1'000'000, 1e-6);
}

TEST(Ledger, SaysWhatIsDerived) {
  const auto label = [](Snapshot::Origin origin) {
    Snapshot snapshot = made_up(10);
    snapshot.origin = origin;
    Ledger ledger{1};
    ledger.enter(10, snapshot, std::nullopt);
    Row row;
    ledger.post(row, false);
    return row.label();
  };
  EXPECT_EQ(label(Snapshot::Origin::cgroup), "");
  for (const auto origin : {Snapshot::Origin::reckoned, Snapshot::Origin::machine}) {
    EXPECT_NE(label(origin).find("kernel stacks: derived"), std::string::npos);
  }
  EXPECT_NE(label(Snapshot::Origin::reckoned).find("slab: derived"), std::string::npos);
}

}  // namespace
}  // namespace harness
