// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/harness/run.hpp"

namespace harness {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const std::string fixture = "tests/bench-fixture";

TEST(Program, MakesARowOfEveryEnd) {
  Running program{fixture, {"--benchmark_format=json"}};
  EXPECT_EQ(program.wait(), 1) << program.err();
  EXPECT_TRUE(program.err().ends_with(
      "bench-fixture: 4 of 6 rows failed, the first: test/wrong: wrong: byte 7 is 3, not 4\n"))
      << program.err();
  auto rows = rows_of(program.out());
  EXPECT_EQ(rows.at("test/wrong").at("error_message"), "wrong: byte 7 is 3, not 4");
  EXPECT_EQ(rows.at("test/refuses").at("error_message"),
            "refused: pid_max reached=32450 limit=32768");
  EXPECT_EQ(rows.at("test/dies").at("error_message"), "failed: exit status 3");
  EXPECT_EQ(rows.at("test/throws").at("error_message"), "failed: a thing that went wrong");
  EXPECT_EQ(rows.at("test/crashes/signal:11").at("error_message"), "crashed: SIGSEGV");
  const json& figures = rows.at("test/figures");
  EXPECT_FALSE(figures.contains("error_message"));
  EXPECT_EQ(figures.at("ns_per_switch"), 10.1);
  EXPECT_EQ(figures.at("ns_per_switch_batches"), 3);
  EXPECT_EQ(figures.at("valid"), 1);
  EXPECT_FALSE(figures.contains("ratio"));
  EXPECT_EQ(figures.at("label"), "noisy: p99_ns; guard madvise");
}

TEST(Program, CountsNoiseAsFailureOnlyWhenStrict) {
  const std::vector<std::string> noisy{"--cell=test/figures"};
  EXPECT_EQ((Running{fixture, noisy}.wait()), 0);
  Running strict{fixture, {"--cell=test/figures", "--strict"}};
  const int status = strict.wait();  // 4 where the machine itself is refused, before any row
  EXPECT_TRUE(status == 1 || status == 4) << status << strict.err();
}

TEST(Program, ThatIsOnlyRefusedHasNotFailed) {
  EXPECT_EQ((Running{fixture, {"--cell=test/refuses"}}.wait()), 0);
  EXPECT_EQ((Running{fixture, {"--cell=test/dies"}}.wait()), 1);
  EXPECT_EQ((Running{fixture, {"--cell=test/hangs", "--timeout=0.3"}}.wait()), 1);
}

TEST(Program, RefusesBadUsageBeforeTheFirstCell) {
  for (const auto* argument :
       {"--contenders=asio", "--signal=99", "--benchmark_format=xml",
        "--benchmark_out=/proc/none/x", "--cell=test/nobody", "--cell=test/figures/colour:1",
        "--cell=nonsense", "--unknown", "--cell=test/crashes/signal:32", "--contenders=hangs"}) {
    Running program{fixture, {argument}};
    EXPECT_EQ(program.wait(), 2) << argument;
    const std::string said = program.err();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << argument << ": " << said;
    EXPECT_EQ(program.out(), "") << argument;
  }
  EXPECT_EQ((Running{"bench-switch", {"--cell=switch/threads"}}.wait()), 2) << "no number of tasks";
  EXPECT_EQ((Running{"bench-memory", {"--cell=memory/threads/tasks:4"}}.wait()), 2) << "no state";
  for (const auto* row : {"timers/futures/tasks:1000", "timers/futures/period_us:1000",
                          "timers/peer-heap/tasks:5/period_us:9/oneshot_us:9"}) {
    EXPECT_EQ((Running{"bench-timers", {std::string{"--cell="} + row}}.wait()), 2) << row;
  }
  EXPECT_EQ((Running{fixture, {"--benchmark_filter=nothing-like-it"}}.wait()), 2);
  EXPECT_EQ((Running{fixture, {"--benchmark_unknown=1"}}.wait()), 2);
  EXPECT_EQ((Running{fixture, {"--subject", "test/figures", "--port-fd", "77"}}.wait()), 2);
  EXPECT_EQ((Running{fixture, {"--help"}}.wait()), 0);
  EXPECT_EQ((Running{fixture, {"--benchmark_list_tests=true"}}.wait()), 0);
}

TEST(Program, MeasuresARowOnce) {
  for (const auto& [name, argument] :
       {std::pair{fixture, "--cell=test/figures,test/figures"},
        std::pair{std::string{"bench-switch"},
                  "--cell=switch/futures/tasks:2,switch/futures/tasks:02"}}) {
    Running program{name, {argument, "--benchmark_list_tests"}};
    EXPECT_EQ(program.wait(), 0) << program.err();
    const std::string listed = program.out();
    EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 1) << listed;
  }
}

TEST(Program, IsFilteredByTheNamesItShows) {
  const auto listed = [](std::vector<std::string> arguments) {
    arguments.emplace_back("--benchmark_list_tests");
    Running program{fixture, std::move(arguments)};
    EXPECT_EQ(program.wait(), 0) << program.err();
    return program.out();
  };
  const std::string shown = "test/dies/iterations:1/manual_time\n";
  EXPECT_EQ(listed({"--benchmark_filter=^test/dies/iterations:1/manual_time$"}), shown);
  EXPECT_EQ(listed({"--benchmark_filter=d(i|o)es"}), shown);
  EXPECT_EQ(listed({"--benchmark_filter=-figures|wrong|refuses|throws|crashes"}), shown);
  EXPECT_EQ(listed({"--benchmark_filter="}), listed({}));
  EXPECT_EQ(listed({"--benchmark_filter=all"}), listed({}));
}

TEST(Program, ShufflesItsCellsBySeedAlone) {
  const auto order = [](const std::string& seed) {
    Running program{fixture, {"--benchmark_list_tests=true", "--order-seed=" + seed}};
    EXPECT_EQ(program.wait(), 0);
    return program.out();
  };
  EXPECT_EQ(order("7"), order("7"));
  EXPECT_NE(order("7"), order("0"));
  EXPECT_TRUE(order("0").starts_with("test/figures/"));
}

TEST(Program, SaysWhatItsFiguresDependOn) {
  Running program{fixture, {"--benchmark_format=json", "--cell=test/figures", "--order-seed=9"}};
  EXPECT_EQ(program.wait(), 0);
  const json whole = json::parse(program.out());
  const json& context = whole.at("context");
  EXPECT_EQ(context.at("order_seed"), "9");
  for (const auto* key : {"cpu_model", "kernel", "limits", "transparent_huge_pages", "mitigations",
                          "compiler", "flags", "libraries", "tree_hash", "commit", "clock_source",
                          "clock_cost_ns", "governor", "subject_cpu", "seconds", "memory_cgroup",
                          "poll_budget", "look_interval_us", "calls_a_slice"}) {
    EXPECT_FALSE(context.at(key).get<std::string>().empty()) << key;
  }
  EXPECT_EQ(context.at("tree_hash").get<std::string>().size(), 16U);
}

TEST(Program, ThatIsInterruptedKeepsWhatItHasAndLeavesNobody) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto file = std::filesystem::path{testing::TempDir()} / "interrupted.json";
    Running program{
        fixture, {"--cell=test/figures,test/hangs,test/wrong", "--benchmark_out=" + file.string()}};
    // Ended by the first row's being there and a child's that hangs.
    while (program.children().empty() || program.out().find("test/figures") == std::string::npos) {
      std::this_thread::sleep_for(10ms);
    }
    const auto children = program.children();
    program.signal(signal);
    EXPECT_EQ(program.wait(), 130);
    std::ifstream in{file};
    const auto rows = rows_of({std::istreambuf_iterator<char>{in}, {}});
    EXPECT_EQ(rows.at("test/figures").at("ns_per_switch"), 10.1);
    EXPECT_EQ(rows.at("test/hangs").at("error_message"), "interrupted: by a signal");
    EXPECT_EQ(rows.at("test/wrong").at("error_message"), "interrupted: before its turn");
    for (const pid_t child : children) EXPECT_EQ(kill(child, 0), -1) << child << " is left";
    std::filesystem::remove(file);
  }
}

}  // namespace
}  // namespace harness
