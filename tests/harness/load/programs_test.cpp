// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "harness/json.hpp"
#include "tests/harness/load/served.hpp"

namespace harness::load::test {
namespace {

long lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Programs, PairInOpenLoop) {
  RunningProgram bench{{"bench-echo", "--cell",
                        "echo/futures/transport:unix/connections:16/bytes:64/active:4/rate:1000",
                        "--seconds", "0.5", "--benchmark_format=json"}};
  ASSERT_EQ(bench.wait(), 0) << bench.err();
  EXPECT_EQ(counter(bench.out(), "offered_ops_per_s"), 1000);
  EXPECT_GT(counter(bench.out(), "p50_ns"), 0);
}

TEST(Programs, RateFarAboveCapacityIsARowThatSaysSo) {
  RunningProgram bench{{"bench-echo", "--cell",
                        "echo/threads/transport:unix/connections:4/bytes:64/rate:10000000",
                        "--seconds", "0.5", "--benchmark_format=json"}};
  ASSERT_EQ(bench.wait(), 0) << bench.err();
  EXPECT_NE(bench.out().find("overloaded: "), std::string::npos) << bench.out();
  EXPECT_GT(counter(bench.out(), "ops_per_s"), 0);
  EXPECT_LT(counter(bench.out(), "achieved_share"), 0.99);
  EXPECT_GT(counter(bench.out(), "unanswered"), 0);
  EXPECT_EQ(counter(bench.out(), "valid"), 0);
}

TEST(Programs, HistogramsAreKept) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("yardstack-echo-" + std::to_string(getpid()));
  const std::string row = "echo/coroutines/transport:tcp/connections:4/bytes:64";
  RunningProgram bench{{"bench-echo", "--cell", row, "--seconds", "0.3", "--histograms", folder}};
  EXPECT_EQ(bench.wait(), 0) << bench.err();
  std::stringstream text;
  text << std::ifstream{folder / "echo_coroutines_transport_tcp_connections_4_bytes_64.json"}
              .rdbuf();
  for (const char* name : {"latency_ns", "floor_latency_ns"}) {
    std::error_code error;
    EXPECT_GT(histogram_from_json(text.str(), name, error).count(), 0u) << name;
    EXPECT_FALSE(error);
  }
  std::filesystem::remove_all(folder);
}

TEST(Programs, ForeignServerIsMeasured) {
  Served served{"fibers"};
  RunningProgram bench{{"bench-echo", "--target", served.address, "--target-pid",
                        std::to_string(served.pid), "--transport", "tcp", "--connections", "8",
                        "--rate", "0", "--seconds", "0.3", "--benchmark_format=json"}};
  EXPECT_EQ(bench.wait(), 0) << bench.err();
  EXPECT_NE(bench.out().find("echo/target/transport:tcp"), std::string::npos);
  EXPECT_GT(counter(bench.out(), "cpu_vs_floor"), 0);
}

TEST(Programs, TooManyConnectionsAreRefusedNotFailed) {
  RunningProgram bench{{"bench-echo", "--cell",
                        "echo/futures/transport:unix/connections:1000000/bytes:64",
                        "--benchmark_format=json"}};
  EXPECT_EQ(bench.wait(), 0) << bench.err();
  EXPECT_NE(bench.out().find("\"refused: RLIMIT_NOFILE"), std::string::npos) << bench.out();
}

TEST(Programs, ServerThatDiesFailsTheLoad) {
  Served served{"futures"};
  EndlessLoad load{served};
  ASSERT_EQ(::kill(served.pid, SIGKILL), 0);
  EXPECT_EQ(load.wait(), 1);
  EXPECT_NE(load.out().find("operations"), std::string::npos);
  EXPECT_EQ(load.out().find("server CPU"), std::string::npos) << "nobody knows it\n" << load.out();
  EXPECT_EQ(load.err().substr(0, 7), "failed:") << load.err();
  EXPECT_EQ(lines_in(load.err()), 1);
  EXPECT_EQ(served.program.wait(), 1);
  EXPECT_EQ(served.program.err(), "crashed: SIGKILL\n");
}

TEST(Programs, ServerThatHangsTimesTheLoadOut) {
  Served served{"coroutines"};
  EndlessLoad load{served, {"--timeout", "0.3"}};
  ASSERT_EQ(::kill(served.pid, SIGSTOP), 0);
  EXPECT_EQ(load.wait(), 1);
  EXPECT_EQ(load.err().substr(0, 8), "timeout:") << load.err();
  EXPECT_EQ(lines_in(load.err()), 1);
}

TEST(Programs, ServerDoesNotOutliveItsProgram) {
  Served served{"threads"};
  served.program.signal(SIGKILL);
  EXPECT_EQ(served.program.wait(), 128 + SIGKILL);
  EXPECT_TRUE(vanishes(served.pid));
}

TEST(Programs, InterruptedLoadShowsWhatItHas) {
  Served served{"futures"};
  const auto file = std::filesystem::temp_directory_path() /
                    ("yardstack-load-" + std::to_string(getpid()) + ".json");
  EndlessLoad load{served, {"--json", file}};
  load.signal(SIGINT);
  EXPECT_EQ(load.wait(), 130);
  EXPECT_EQ(load.err(), "interrupted: by a signal\n");
  EXPECT_NE(load.out().find("99.9 %"), std::string::npos);
  std::stringstream text;
  text << std::ifstream{file}.rdbuf();
  std::error_code error;
  EXPECT_GT(histogram_from_json(text.str(), "latency_ns", error).count(), 0u);
  EXPECT_GT(counter(text.str(), "client_cpu_share"), 0);
  std::filesystem::remove(file);
}

TEST(Programs, BadUsageIsOneLineAndStatusTwo) {
  const std::vector<std::vector<std::string>> usages{
      {"yardstack-load"},
      {"yardstack-load", "--target", "nowhere"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--bytes", "0"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--bytes", "1048577"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--rate", "-1"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--seconds", "nan"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--active", "65"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--json", "/nowhere/at/all"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--cpu", "100000"},
      {"yardstack-load", "--target", "127.0.0.1:1", "--target-pid", "-4"},
      {"yardstack-load", "--frobnicate"},
      {"yardstack-serve"},
      {"yardstack-serve", "--backend=none"},
      {"yardstack-serve", "--backend=futures", "--port=65536"},
      {"yardstack-serve", "--backend=futures", "--transport=udp"},
      {"yardstack-serve", "--backend=futures", "--host=not an address"},
      {"bench-echo", "--transport", "udp"},
      {"bench-echo", "--rate", "fast"},
      {"bench-echo", "--target", "nowhere"},
      {"bench-echo", "--contenders", "nobody"}};
  for (const auto& usage : usages) {
    RunningProgram program{usage};
    EXPECT_EQ(program.wait(), 2) << testing::PrintToString(usage);
    EXPECT_EQ(lines_in(program.err()), 1) << program.err();
    EXPECT_EQ(program.out(), "");
  }
}

TEST(Programs, ForeignAddressIsOneLine) {
  RunningProgram server{{"yardstack-serve", "--backend=futures", "--host=192.0.2.1"}};
  EXPECT_EQ(server.wait(), 1);
  EXPECT_EQ(server.err(), "failed: tcp:192.0.2.1:0: Cannot assign requested address\n");
}

TEST(Programs, PortInUseIsOneLine) {
  Served first{"futures"};
  const std::string port = first.address.substr(first.address.rfind(':') + 1);
  RunningProgram second{{"yardstack-serve", "--backend=futures", "--port=" + port}};
  EXPECT_EQ(second.wait(), 1);
  EXPECT_EQ(second.err(), "failed: " + first.address + ": Address already in use\n");
}

}  // namespace
}  // namespace harness::load::test
