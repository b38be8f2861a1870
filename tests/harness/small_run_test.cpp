// SPDX-License-Identifier: BSL-1.0
// One small run of every program that this folder's workloads have.
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/harness/run.hpp"

namespace harness {
namespace {

using nlohmann::json;

std::map<std::string, json> small_run(const std::string& program,
                                      std::vector<std::string> arguments,
                                      const std::string& seconds = "0.02") {
  arguments.insert(arguments.end(), {"--benchmark_format=json", "--seconds=" + seconds});
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
  for (const auto* with_a_pool : {"fibers", "boost-fibers"}) {
    for (const auto* state : {"sleeping", "connected"}) {
      const auto name = std::string{"memory/"} + with_a_pool + "/state:" + state + "/tasks:100";
      expect_counters(rows, name, {"high_water_bytes", "headroom_bytes"});
      EXPECT_GE(rows.at(name).at("high_water_bytes"), 4096) << name;
      EXPECT_GE(rows.at(name).at("headroom_bytes"), 32'768) << name;
    }
  }
  expect_counters(rows, "memory/floor-socket/state:connected/tasks:100", {"user_bytes_per_task"});
  expect_counters(rows, "memory/floor-timer/state:sleeping/tasks:100", {"user_bytes_per_task"});
  expect_counters(rows, "memory/floor-page/state:sleeping/tasks:100",
                  {"stack_bytes_per_task", "page_table_bytes_per_task", "create_ns_per_task"});
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
  const auto rows = small_run(
      "bench-memory", {"--cell=memory/fibers/state:sleeping/tasks:3000000/guard:mprotect",
                       "--cell=memory/floor-page/state:sleeping/tasks:3000000/guard:mprotect"});
  for (const auto& [name, row] : rows) {
    const auto said = row.at("error_message").get<std::string>();
    EXPECT_TRUE(said.starts_with("refused: max_map_count reached=")) << name << ": " << said;
  }
}

TEST(SmallRun, OfTimers) {
  // Long enough that no hold-up takes all of it: a window in which nothing fires has no lateness.
  const auto rows =
      small_run("bench-timers", {"--tasks=20", "--period_us=5000", "--oneshot_us=500000"}, "0.5");
  auto subjects = everybody;
  subjects.insert(subjects.end(), {"peer-heap", "peer-thread-per-timer"});
  for (const auto& subject : subjects) {
    for (const auto* kind : {"period_us:5000", "oneshot_us:500000"}) {
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
