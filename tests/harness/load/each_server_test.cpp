// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/contenders.hpp"
#include "tests/harness/load/served.hpp"

namespace harness::load::test {
namespace {

class EachServer : public testing::TestWithParam<std::string> {};

std::vector<std::string> servers() {
  std::vector<std::string> names = contender_names();
  names.emplace_back("floor-epoll");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, EachServer, testing::ValuesIn(servers()), [](const auto& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EachServer, ServesAndEndsWhenAsked) {
  for (const char* transport : {"tcp", "unix"}) {
    Served served{GetParam(), transport};
    for (const char* bytes : {"1", "64", "100000"}) {
      RunningProgram load{load_of(served, {"--bytes", bytes})};
      EXPECT_EQ(load.wait(), 0) << load.err();
      EXPECT_EQ(load.err(), "");
      EXPECT_NE(load.out().find("server CPU an operation"), std::string::npos);
    }
    served.program.signal(SIGINT);
    EXPECT_EQ(served.program.wait(), 0) << served.program.err();
    EXPECT_TRUE(vanishes(served.pid));
  }
}

TEST_P(EachServer, EndsThoughClientsAreThere) {
  Served served{GetParam()};
  EndlessLoad endless{served};
  served.program.signal(SIGTERM);
  EXPECT_EQ(served.program.wait(), 0) << served.program.err();
  EXPECT_EQ(endless.wait(), 1);
  EXPECT_EQ(endless.err().substr(0, 7), "failed:") << endless.err();
}

TEST_P(EachServer, PairCountsTheSameCallsAsTheFloor) {
  const std::string row = "echo/" + GetParam() + "/transport:tcp/connections:16/bytes:64";
  RunningProgram bench{
      {"bench-echo", "--cell", row, "--seconds", "0.5", "--benchmark_format=json"}};
  ASSERT_EQ(bench.wait(), 0) << bench.err();
  const std::string json = bench.out();
  EXPECT_EQ(counter(json, "reads_per_op"), 1);
  EXPECT_EQ(counter(json, "writes_per_op"), 1);
  EXPECT_EQ(counter(json, "floor_reads_per_op"), 1);
  EXPECT_EQ(counter(json, "floor_writes_per_op"), 1);
  EXPECT_EQ(counter(json, "registrations_per_connection"), GetParam() == "threads" ? 0 : 1);
  EXPECT_EQ(counter(json, "errors"), 0);
  EXPECT_GT(counter(json, "cpu_vs_floor"), 0);
  EXPECT_LE(counter(json, "cpu_vs_floor_low"), counter(json, "cpu_vs_floor"));
  EXPECT_GE(counter(json, "cpu_vs_floor_high"), counter(json, "cpu_vs_floor"));
  EXPECT_GT(counter(json, "rounds"), 0);
  if (GetParam() != "floor-epoll") {
    EXPECT_EQ(counter(json, "allocs_per_op"), 0);
  }
}

}  // namespace
}  // namespace harness::load::test
