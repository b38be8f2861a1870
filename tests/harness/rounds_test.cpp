// SPDX-License-Identifier: BSL-1.0
#include "harness/rounds.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "tests/harness/port_reader.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

TEST(Rounds, TimeNothingOfThePauses) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::chrono::nanoseconds pauses{};
  Rounds rounds{1ms};
  do {
    const auto pause_began = Clock::now();
    std::this_thread::sleep_for(1ms);
    pauses += Clock::now() - pause_began;
    rounds.begin();
    rounds.end(1);
  } while (!rounds.enough());
  const std::chrono::nanoseconds besides = Clock::now() - start - pauses;
  const auto& values = rounds.values();
  ASSERT_GE(values.size(), Rounds::fewest - 1);
  EXPECT_LE(std::accumulate(values.begin(), values.end(), 0.0),
            static_cast<double>(besides.count()));
}

TEST(Rounds, GoOnUntilTheTimeIsUsedUp) {
  const auto start = std::chrono::steady_clock::now();
  Rounds rounds{30ms};
  while (!rounds.enough()) {
    rounds.begin();
    rounds.end(1);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
}

TEST(Rounds, ForgetTheFirst) {
  Rounds rounds{1ns};
  rounds.begin();
  std::this_thread::sleep_for(20ms);
  rounds.end(1);
  EXPECT_TRUE(rounds.values().empty());
  EXPECT_FALSE(rounds.enough());
}

TEST(Rounds, ReportNanosecondsAnOperationAndTheShareOfTheCpu) {
  PortReader reader;
  Rounds rounds{1ns};
  while (!rounds.enough()) {
    rounds.begin();
    std::this_thread::sleep_for(2ms);
    rounds.end(1000);
  }
  rounds.report(reader.port, "nap");
  const auto results = reader.results();
  EXPECT_GE(results.at("ns_per_nap"), 2000);
  EXPECT_GT(results.at("cpu_ns_per_nap"), 0);
  EXPECT_LT(results.at("cpu_ns_per_nap"), results.at("ns_per_nap")) << "it slept";
  EXPECT_GT(results.at("cpu_share"), 0);
  EXPECT_LT(results.at("cpu_share"), 0.9) << "it slept";
}

}  // namespace
}  // namespace harness
