// SPDX-License-Identifier: BSL-1.0
#include "harness/batches.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <thread>

#include "harness/allocations.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

TEST(Batches, GrowUntilTheyAreWorthTiming) {
  Batches batches{20ms, 3};
  std::uint64_t rounds_run = 0;
  std::uint64_t last = 0;
  batches.start();
  do {
    last = batches.rounds();
    for (auto left = last; left > 0; --left) {
      asm volatile("" : "+r"(rounds_run));  // keeps the loop
      ++rounds_run;
    }
  } while (batches.lap());
  EXPECT_GT(last, 100U) << "an empty loop needs many rounds to be seen";
  EXPECT_GE(batches.values().size(), 5U);
  // The first batches found the size and were forgotten.
  EXPECT_GT(rounds_run, last * batches.values().size());
}

TEST(Batches, OfOneLongRoundStillHaveQuartiles) {
  Batches batches{1ms, 1};
  batches.start();
  do {
    std::this_thread::sleep_for(2ms);
  } while (batches.lap());
  EXPECT_EQ(batches.rounds(), 1U);
  EXPECT_GE(batches.values().size(), 5U);
  for (const double ns : batches.values()) EXPECT_GE(ns, 2e6);
}

TEST(Batches, CountOperationsThatAreKnownAfterwards) {
  Batches batches{1ms, 1};
  batches.start();
  do {
    std::this_thread::sleep_for(1ms);
  } while (batches.lap(1000, std::chrono::steady_clock::now()));
  for (const double ns : batches.values()) EXPECT_GE(ns, 1e3);
}

TEST(Batches, ReportCallsAndAllocationsAnOperation) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const io::Descriptor here{ends[0]};
  const io::Descriptor there{ends[1]};
  Port port{there.get(), 5ms};
  Batches batches{port.measure_for(), 2};
  batches.start();
  do {
    for (auto left = batches.rounds(); left > 0; --left) {
      io::count(io::SystemCall::read);
      const auto kept = std::make_unique<int>(1);
      asm volatile("" : : "r"(kept.get()) : "memory");
    }
  } while (batches.lap());
  batches.report(port, "thing");
  std::string said(65'536, '\0');
  said.resize(static_cast<std::size_t>(recv(here.get(), said.data(), said.size(), 0)));
  EXPECT_NE(said.find("result ns_per_thing "), std::string::npos) << said;
  EXPECT_NE(said.find("result syscalls_per_thing 0.5\n"), std::string::npos) << said;
  if (allocations()) {
    EXPECT_NE(said.find("result allocs_per_thing 0.5\n"), std::string::npos) << said;
  }
}

TEST(Allocations, OfEveryThreadAreCountedThoseThatEndedIncluded) {
  if (!allocations()) GTEST_SKIP() << "a sanitizer has its own operators";
  const auto before = *allocations();
  const auto allocate = [] {
    for (int i = 0; i < 100; ++i) {
      const auto kept = std::make_unique<int>(i);
      asm volatile("" : : "r"(kept.get()) : "memory");
    }
  };
  std::thread{allocate}.join();
  allocate();
  EXPECT_GE(*allocations() - before, 200U);
  EXPECT_LT(*allocations() - before, 220U) << "what a std::thread needs is not much more";
}

TEST(CpuTime, IsWhatTheClockSaysThatMissedLess) {
  const auto used = [](std::optional<std::chrono::nanoseconds> group) {
    return used_between({100ns, 10ns}, {190ns, group});
  };
  EXPECT_EQ(used(106ns), 96ns) << "threads have ended";
  EXPECT_EQ(used(95ns), 90ns) << "a tick late";
  EXPECT_EQ(used(std::nullopt), 90ns);
}

}  // namespace
}  // namespace harness
