// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timetable.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

#include "harness/row.hpp"
#include "io/counters.hpp"
#include "tests/harness/port_reader.hpp"

namespace {

using harness::Timetable;
using io::TimePoint;
using namespace std::chrono_literals;

std::uint64_t counted_one_by_one(TimePoint first, io::Duration period, TimePoint from,
                                 TimePoint to) {
  std::uint64_t count = 0;
  for (TimePoint each = first; each < to; each += period) {
    if (each >= from) ++count;
  }
  return count;
}

TEST(DeadlinesBetween, AgreesWithCountingOneByOne) {
  const TimePoint zero{};
  for (const auto period : {1ns, 2ns, 3ns, 7ns}) {
    for (int first = 0; first != 12; ++first) {
      for (int from = 0; from != 25; ++from) {
        for (int to = 0; to != 25; ++to) {
          ASSERT_EQ(
              harness::deadlines_between(zero + first * 1ns, period, zero + from * 1ns,
                                         zero + to * 1ns),
              counted_one_by_one(zero + first * 1ns, period, zero + from * 1ns, zero + to * 1ns))
              << first << " every " << period.count() << " in " << from << " to " << to;
        }
      }
    }
  }
}

TEST(DeadlinesBetween, OfOneShotIsItsOnlyOne) {
  const TimePoint zero{};
  EXPECT_EQ(harness::deadlines_between(zero + 5ns, 0ns, zero, zero + 6ns), 1U);
  EXPECT_EQ(harness::deadlines_between(zero + 5ns, 0ns, zero, zero + 5ns), 0U);
  EXPECT_EQ(harness::deadlines_between(zero + 5ns, 0ns, zero + 6ns, zero + 9ns), 0U);
}

TEST(ScatteringStride, VisitsEveryPlaceOnce) {
  for (std::size_t count = 1; count != 300; ++count) {
    const std::size_t stride = harness::scattering_stride(count);
    std::set<std::size_t> places;
    for (std::size_t number = 0; number != count; ++number) places.insert(number * stride % count);
    ASSERT_EQ(places.size(), count);
  }
}

TEST(TimetablePlan, NeedsTasksAndOneKindOfDeadline) {
  for (const auto name : {"timers/b/tasks:5", "timers/b/tasks:0/period_us:1",
                          "timers/b/period_us:1", "timers/b/tasks:5/period_us:1/oneshot_us:1"}) {
    const auto cell = harness::Cell::parse(name);
    ASSERT_TRUE(cell) << name;
    EXPECT_THROW(Timetable::Plan::of(*cell, 1s), harness::Failure) << name;
  }
  const auto periodic =
      Timetable::Plan::of(*harness::Cell::parse("timers/b/tasks:5/period_us:7"), 3s);
  EXPECT_EQ(periodic.period, 7us);
  EXPECT_EQ(periodic.window, 3s);
}

/// A task that sleeps as it should.
void keep_time(Timetable::Seat& seat) {
  while (const auto deadline = seat.next()) std::this_thread::sleep_until(*deadline);
}

TEST(Timetable, CountsEveryDeadlineOfEveryTask) {
  PortReader reader;
  Timetable table{{.tasks = 4, .period = 5ms, .warm_up = 10ms, .window = 50ms}};
  {
    std::vector<std::jthread> tasks;
    for (auto& seat : table.seats()) tasks.emplace_back([&seat] { keep_time(seat); });
  }
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(table.planned(), 40U);
  EXPECT_EQ(reader.results()["planned"], 40);
  EXPECT_TRUE(reader.results().contains("lateness_p99_ns"));
}

TEST(Timetable, OneShotFiresEachOnce) {
  PortReader reader;
  Timetable table{{.tasks = 50, .window = 20ms}};
  {
    std::vector<std::jthread> tasks;
    for (auto& seat : table.seats()) tasks.emplace_back([&seat] { keep_time(seat); });
  }
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(reader.results()["planned"], 50);
  EXPECT_EQ(reader.results()["missed"], 0);
}

TEST(Timetable, CountsWhatWasSleptThroughAndDoesNotReplayIt) {
  PortReader reader;
  Timetable table{{.tasks = 1, .period = 2ms, .warm_up = 0ms, .window = 100ms}};
  int wakes = 0;
  auto& seat = table.seats().front();
  while (const auto deadline = seat.next()) {
    std::this_thread::sleep_until(*deadline + 9ms);  // four periods too long
    ++wakes;
  }
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(reader.results()["planned"], 50);
  EXPECT_GE(reader.results()["missed"], 40);
  EXPECT_LE(wakes, 12);
}

/// Keeps all seats in this thread, whose every sleep is a call that is counted; so are the many
/// that the end of a task costs.
void keep_all_counted(Timetable& table) {
  std::map<Timetable::Seat*, TimePoint> asleep;
  const auto lie_down = [&asleep](Timetable::Seat& seat) {
    const auto deadline = seat.next();
    for (int calls = deadline ? 1 : 1000; calls != 0; --calls) io::count(io::SystemCall::wait);
    asleep.erase(&seat);
    if (deadline) asleep.emplace(&seat, *deadline);
  };
  for (auto& seat : table.seats()) lie_down(seat);
  while (!asleep.empty()) {
    const auto next = std::min_element(
        asleep.begin(), asleep.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    std::this_thread::sleep_until(next->second);
    lie_down(*next->first);
  }
}

class TimetableWindow : public testing::TestWithParam<Timetable::Plan> {};

TEST_P(TimetableWindow, HoldsAsManyGoingsToSleepAsFiringsAndNoEnd) {
  PortReader reader;
  Timetable table{GetParam()};
  keep_all_counted(table);
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(reader.results()["syscalls_per_timer"], 1);
  EXPECT_GT(reader.results()["timers_per_s"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, TimetableWindow,
    testing::Values(Timetable::Plan{.tasks = 4, .period = 5ms, .warm_up = 10ms, .window = 50ms},
                    Timetable::Plan{.tasks = 1, .period = 5ms, .warm_up = 0ms, .window = 5ms},
                    Timetable::Plan{.tasks = 8, .period = 20ms, .warm_up = 0ms, .window = 15ms},
                    Timetable::Plan{.tasks = 9, .window = 20ms}));

TEST(Timetable, TellsHowManyFiredWhileCostsWereCounted) {
  PortReader reader;
  Timetable table{{.tasks = 2, .window = 5ms}};
  for (auto& seat : table.seats()) (void)seat.next();  // all arrive
  for (auto& seat : table.seats()) {                   // the second comes when the first has left
    while (const auto deadline = seat.next()) std::this_thread::sleep_until(*deadline);
  }
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(reader.results()["costed_share"], 0.5);
}

TEST(Timetable, CallsThatNobodyCountsAreNoZero) {
  PortReader reader;
  Timetable table{{.tasks = 2, .window = 5ms}};
  keep_all_counted(table);
  table.report(reader.port, harness::SystemCallCount::absent);
  EXPECT_TRUE(reader.results().contains("cpu_ns_per_timer"));
  EXPECT_FALSE(reader.results().contains("syscalls_per_timer"));
}

TEST(Timetable, AnEarlyTimerIsWrong) {
  PortReader reader;
  Timetable table{{.tasks = 1, .period = 100ms, .warm_up = 0ms, .window = 300ms}};
  auto& seat = table.seats().front();
  while (seat.next()) {  // does not sleep at all
  }
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_TRUE(reader.failure().starts_with("wrong: a timer fired")) << reader.failure();
}

TEST(Timetable, ATaskThatStopsTooSoonIsWrong) {
  PortReader reader;
  Timetable table{{.tasks = 1, .period = 5ms, .warm_up = 0ms, .window = 50ms}};
  auto& seat = table.seats().front();
  for (int i = 0; i != 3; ++i) std::this_thread::sleep_until(seat.next().value());
  table.report(reader.port, harness::SystemCallCount::present);
  EXPECT_TRUE(reader.failure().starts_with("wrong: 0 of 1 tasks ended")) << reader.failure();
}

}  // namespace
