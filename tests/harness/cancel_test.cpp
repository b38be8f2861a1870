// SPDX-License-Identifier: BSL-1.0
// Every workload of bench-cancel in this process, and what its audit sees.
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/floors/indexed_heap.hpp"
#include "harness/programs/programs.hpp"
#include "harness/workloads/audit.hpp"
#include "io/clock.hpp"
#include "io/socket.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

using harness::floors::IndexedHeap;

auto run(const std::string& name) {
  return run_cell(harness::cancel_program(), name);
}

/// The heap has seen other tests, so a chunk may lie in a thread's cache in one round and not in
/// the next: less than one a task is none of theirs. Fresh processes are held to nothing at all.
void expect_no_leak(const std::string& row) {
  constexpr int tasks = 20;
  constexpr int smallest_chunk = 32;
  const auto results = run(row + "/tasks:" + std::to_string(tasks));
  EXPECT_GT(results.at("ns_per_cancel"), 0) << row;
  EXPECT_LT(results.at("leaked_heap_bytes"), tasks * smallest_chunk) << row;
  for (const auto* what : {"descriptors", "timers", "tasks"}) {
    EXPECT_EQ(results.at(std::string{"leaked_"} + what), 0) << row << ": " << what;
  }
  const bool has_stacks = row.find("/fibers/") != std::string::npos;
  EXPECT_EQ(results.contains("leaked_stacks"), has_stacks) << row;
  if (has_stacks) {
    EXPECT_EQ(results.at("leaked_stacks"), 0) << row;
  }
}

TEST(Cancel, GivesBackEverythingOfTasksThatRead) {
  for (const auto* contender :
       {"threads", "fibers", "futures", "coroutines", "callbacks", "floor-epoll"}) {
    expect_no_leak(std::string{"cancel/"} + contender + "/what:read");
  }
}

TEST(Cancel, GivesBackEverythingOfTasksThatSleep) {
  for (const auto* contender : {"fibers", "futures", "coroutines", "callbacks"}) {
    expect_no_leak(std::string{"cancel/"} + contender + "/what:sleep");
  }
}

TEST(Cancel, StopsNoCallbackWithoutAToken) {
  const auto results = run("cancel/callbacks/what:sleep/tasks:20/token:none");
  EXPECT_EQ(results.at("left_per_task"), 1);
}

TEST(Cancel, TakesTimersBack) {
  for (const auto* contender : {"futures", "coroutines", "floor-wheel", "peer-heap"}) {
    const auto results = run(std::string{"cancel/"} + contender + "/what:timer/tasks:5000");
    EXPECT_GT(results.at("ns_per_cancel"), 0) << contender;
    EXPECT_GT(results.at("ns_per_insert"), 0) << contender;
  }
}

TEST(Cancel, KnowsWhichRowsMakeSense) {
  const auto program = harness::cancel_program();
  const auto objection = [&](const std::string& name) {
    return program.questions.front().objection(*harness::Cell::parse(name));
  };
  EXPECT_EQ(objection("cancel/futures/what:timer/tasks:1"), "");
  EXPECT_NE(objection("cancel/futures/what:timer"), "");
  EXPECT_NE(objection("cancel/fibers/what:timer/tasks:1"), "");
  EXPECT_NE(objection("cancel/floor-wheel/what:read/tasks:1"), "");
  EXPECT_NE(objection("cancel/futures/what:sleep/tasks:1/token:none"), "");
}

TEST(Audit, SeesWhatIsHeldMore) {
  PortReader reader;
  const auto before = harness::Holdings::now({.timers = 1, .tasks = 2, .stacks = 1});
  const io::Descriptor open{::dup(STDERR_FILENO)};
  harness::Holdings::now({.timers = 4, .tasks = 7, .stacks = 3}).report_leaks(reader.port, before);
  const auto results = reader.results();
  EXPECT_EQ(results.at("leaked_descriptors"), 1);
  EXPECT_EQ(results.at("leaked_timers"), 3);
  EXPECT_EQ(results.at("leaked_tasks"), 5);
  EXPECT_EQ(results.at("leaked_stacks"), 2);
}

TEST(Audit, LetsNoSurplusMakeUpForALeak) {
  PortReader reader;
  const harness::Holdings before{.heap_bytes = 4096, .runtime = {.timers = 5, .tasks = 5}};
  const harness::Holdings after{.descriptors = 3, .runtime = {.timers = 2, .tasks = 5}};
  after.report_leaks(reader.port, before);
  const auto results = reader.results();
  EXPECT_EQ(results.at("leaked_heap_bytes"), 0);
  EXPECT_EQ(results.at("leaked_descriptors"), 3);
  EXPECT_EQ(results.at("leaked_timers"), 0);
  EXPECT_FALSE(results.contains("leaked_stacks")) << "of a runtime that lends none";
}

TEST(IndexedHeap, KeepsTheEarliestOnTopUnderAnyRemoval) {
  constexpr std::size_t count = 300;
  std::mt19937 random{7};
  std::vector<IndexedHeap::Entry> entries(count);
  std::set<std::pair<io::TimePoint, std::size_t>> model;
  IndexedHeap heap;
  for (int step = 0; step != 20'000; ++step) {
    const std::size_t which = random() % count;
    IndexedHeap::Entry& entry = entries[which];
    if (model.erase({entry.deadline, which}) != 0) {
      heap.remove(entry);
      heap.remove(entry);  // a second time is nothing
    } else {
      const io::TimePoint deadline{io::Duration{random() % 1000 + 1}};
      heap.insert(entry, deadline);
      model.emplace(deadline, which);
    }
    ASSERT_EQ(heap.size(), model.size());
    if (model.empty()) {
      ASSERT_EQ(heap.earliest(), nullptr);
    } else {
      ASSERT_EQ(heap.earliest()->deadline, model.begin()->first);
    }
  }
}

}  // namespace
