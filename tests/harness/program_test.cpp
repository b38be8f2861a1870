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

// ---- one small run of every program that this folder's workloads have ---------------------------

std::map<std::string, json> small_run(const std::string& program,
                                      std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--benchmark_format=json", "--seconds=0.02"});
  Running running{program, std::move(arguments)};
  EXPECT_EQ(running.wait(), 0) << running.err();
  return rows_of(running.out());
}

void expect_counters(const std::map<std::string, json>& rows, const std::string& name,
                     std::initializer_list<const char*> counters) {
  ASSERT_TRUE(rows.contains(name)) << name;
  const json& row = rows.at(name);
  ASSERT_FALSE(row.contains("error_message")) << name << ": " << row.at("error_message");
  for (const auto* counter : counters) EXPECT_TRUE(row.contains(counter)) << name << ' ' << counter;
}

const std::vector<std::string> everybody{"threads", "fibers", "boost-fibers", "futures",
                                         "coroutines"};

TEST(SmallRun, OfSwitch) {
  const auto rows = small_run("bench-switch", {"--tasks=2,30"});
  for (const auto& contender : everybody) {
    for (const auto* tasks : {"2", "30"}) {
      const std::string name = "switch/" + contender + "/tasks:" + tasks;
      expect_counters(rows, name,
                      {"ns_per_switch", "ns_per_switch_q1", "syscalls_per_switch",
                       "allocs_per_switch", "involuntary_switches", "valid"});
      expect_counters(rows, name + "/via:yield", {"ns_per_switch"});
      EXPECT_LT(rows.at(name).at("allocs_per_switch"), 0.01) << name;
    }
  }
  for (const auto* floor : {"floor-context/tasks:2", "floor-poll/tasks:30", "floor-syscall",
                            "floor-futex", "floor-yield"}) {
    expect_counters(rows, std::string{"switch/"} + floor, {"ns_per_switch"});
  }
}

TEST(SmallRun, OfSpawn) {
  const auto rows = small_run("bench-spawn", {"--alive=1,50"});
  for (const auto& contender : everybody) {
    for (const auto* alive : {"1", "50"}) {
      expect_counters(rows, "spawn/" + contender + "/alive:" + alive,
                      {"ns_per_spawn", "allocs_per_spawn", "event_syscalls_per_spawn", "valid"});
    }
  }
  expect_counters(rows, "spawn/floor-allocate/alive:50", {"ns_per_spawn"});
  EXPECT_NEAR(rows.at("spawn/futures/alive:50").at("allocs_per_spawn"), 1, 0.01);
}

TEST(SmallRun, OfMemory) {
  const auto rows = small_run("bench-memory", {"--tasks=100"});
  for (const auto& contender : everybody) {
    expect_counters(rows, "memory/" + contender + "/state:sleeping/tasks:100",
                    {"user_bytes_per_task", "heap_bytes_per_task", "create_ns_per_task",
                     "page_table_bytes_per_task", "intercept_bytes", "valid"});
    expect_counters(rows, "memory/" + contender + "/state:connected/tasks:100",
                    {"user_bytes_per_task", "heap_bytes_per_task", "virtual_bytes_per_task"});
  }
  expect_counters(rows, "memory/floor-socket/state:connected/tasks:100", {"user_bytes_per_task"});
  expect_counters(rows, "memory/floor-timer/state:sleeping/tasks:100", {"user_bytes_per_task"});
  // A task's own allocation is what the heap grows by: exact, whatever the machine does.
  EXPECT_LE(rows.at("memory/futures/state:sleeping/tasks:100").at("heap_bytes_per_task"), 176);
  EXPECT_LE(rows.at("memory/floor-timer/state:sleeping/tasks:100").at("heap_bytes_per_task"), 48);
  EXPECT_GE(rows.at("memory/futures/state:connected/tasks:100").at("heap_bytes_per_task"), 4096);
  EXPECT_GE(rows.at("memory/fibers/state:sleeping/tasks:100").at("stack_bytes_per_task"), 4000);
}

TEST(SmallRun, OfSelftest) {
  const auto rows = small_run("bench-selftest", {"--cell=selftest/slowdown/percent:50"});
  expect_counters(rows, "selftest/slowdown/percent:50",
                  {"ratio", "ratio_low", "ratio_high", "known_ratio", "valid"});
}

TEST(SmallRun, OfMemoryIsRefusedAtALimit) {
  // Two mappings a guarded stack: no machine's default allows so many.
  Running program{"bench-memory",
                  {"--cell=memory/fibers/state:sleeping/tasks:3000000/guard:mprotect",
                   "--benchmark_format=json"}};
  EXPECT_EQ(program.wait(), 0);
  const auto rows = rows_of(program.out());
  const auto said = rows.begin()->second.at("error_message").get<std::string>();
  EXPECT_TRUE(said.starts_with("refused: max_map_count reached=")) << said;
}

TEST(SmallRun, OfTimers) {
  const auto rows =
      small_run("bench-timers", {"--tasks=20", "--period_us=5000", "--oneshot_us=10000"});
  auto subjects = everybody;
  subjects.insert(subjects.end(), {"peer-heap", "peer-thread-per-timer"});
  for (const auto& subject : subjects) {
    for (const auto* kind : {"period_us:5000", "oneshot_us:10000"}) {
      expect_counters(rows, "timers/" + subject + "/tasks:20/" + kind,
                      {"lateness_p50_ns", "lateness_p99_ns", "lateness_max_ns", "missed",
                       "timers_per_s", "cpu_share", "valid"});
    }
  }
  expect_counters(rows, "timers/floor-pacing", {"lateness_p99_ns", "lateness_max_ns"});
  if (std::thread::hardware_concurrency() > 1) {
    expect_counters(rows, "timers/floor-pacing",
                    {"load_cpu_lateness_p99_ns", "load_cpu_lateness_max_ns"});
  }
}

}  // namespace
}  // namespace harness
