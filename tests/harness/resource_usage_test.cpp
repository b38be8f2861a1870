// SPDX-License-Identifier: BSL-1.0
#include "harness/resource_usage.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "harness/pin.hpp"
#include "tests/harness/port_reader.hpp"

namespace {

using harness::ResourceUsage;
using namespace std::chrono_literals;

void work_for(std::chrono::nanoseconds cpu) {
  const auto until = ResourceUsage::at_end().cpu + cpu;
  while (ResourceUsage::at_end().cpu < until) {
  }
}

TEST(Consumption, TellsItsOwnWorkFromThatOfOthers) {
  // On a thread of its own, so that nobody else stays pinned.
  std::thread{[] {
    harness::pin_this_thread(0);
    PortReader reader;
    const ResourceUsage before = ResourceUsage::at_start();
    ASSERT_TRUE(before.busy_cpu);
    work_for(200ms);
    harness::Consumption{before, ResourceUsage::at_end()}.report(reader.port, "operation", 10,
                                                                 harness::SystemCallCount::present);
    auto results = reader.results();
    EXPECT_GE(results.at("cpu_ns_per_operation"), 20e6);
    EXPECT_GT(results.at("cpu_share"), 0);
    EXPECT_LE(results.at("cpu_share"), 1.01);  // two clocks, read one after the other
    EXPECT_LE(results.at("cpu_share") + results.at("others_cpu_share"), 1.2);  // in steps of 10 ms
  }}.join();
}

TEST(Consumption, TellsOfOthersOnSeveralCpusOfItsOwn) {
  PortReader reader;
  const auto cpus = harness::allowed_cpus();
  const ResourceUsage before = ResourceUsage::at_start(cpus);
  ASSERT_TRUE(before.busy_cpu);
  EXPECT_EQ(before.own_cpus, cpus.size());
  work_for(200ms);
  harness::Consumption{before, ResourceUsage::at_end(cpus)}.report(
      reader.port, "operation", 0, harness::SystemCallCount::absent);
  const auto results = reader.results();
  const auto count = static_cast<double>(cpus.size());
  EXPECT_LE(results.at("cpu_share") / count + results.at("others_cpu_share"), 1.2);
}

TEST(Consumption, LeavesTheLookingOut) {
  PortReader reader;
  const ResourceUsage before = ResourceUsage::at_start();
  harness::Consumption{before, ResourceUsage::at_end()}.report(reader.port, "operation", 1,
                                                               harness::SystemCallCount::present);
  auto results = reader.results();
  if (!before.allocations) GTEST_SKIP() << "a sanitizer counts allocations itself";
  EXPECT_EQ(results.at("allocs_per_operation"), 0);
}

TEST(Consumption, SaysNothingOfOthersWithoutACpuOfItsOwn) {
  if (harness::allowed_cpus().size() == 1) GTEST_SKIP() << "this machine has one CPU";
  EXPECT_FALSE(ResourceUsage::at_end().busy_cpu);
}

}  // namespace
