// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/team.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>

namespace harness {
namespace {

using namespace std::chrono_literals;

TEST(Burst, DependsOnItsSeedAndOnEachStep) {
  std::set<std::uint64_t> results;
  for (const std::uint64_t seed : {1U, 3U, 5U}) {
    for (std::uint64_t steps = 0; steps != 100; ++steps) results.insert(burst(seed, steps));
  }
  EXPECT_EQ(results.size(), 300U);
  EXPECT_EQ(burst(burst(7, 10), 5), burst(7, 15)) << "goes on where it stopped";
}

TEST(Burst, TakesMoreStepsForALongerTime) {
  EXPECT_GE(steps_for(0ns), 1U);
  EXPECT_GT(steps_for(100ms), steps_for(1us));
}

TEST(Team, FindsWhoHasNotDoneItsWork) {
  Team team{3, 30us};
  EXPECT_GT(team.compute_alone(), 0);
  const io::TimePoint before = io::Clock::now();
  team.begin();
  EXPECT_EQ(team.failed(), 0U);
  for (Team::Seat& seat : team.seats()) {
    team.leave(seat, seat.number == 1 ? 0 : team.compute(seat));
  }
  EXPECT_EQ(team.failed(), 1U);
  const std::chrono::duration<double, std::nano> around = io::Clock::now() - before;
  EXPECT_GT(team.took(), 0);
  EXPECT_LE(team.took(), around.count());
  team.begin();
  EXPECT_EQ(team.failed(), 0U) << "the results of the time before count for nothing";
  for (Team::Seat& seat : team.seats()) team.leave(seat, team.compute(seat));
  EXPECT_EQ(team.failed(), std::nullopt);
}

TEST(Team, RemembersWhoBeganAndEndedWhen) {
  Team team{2, 30us};
  team.begin();
  Team::Seat& late = team.seats()[0];
  Team::Seat& early = team.seats()[1];
  for (Team::Seat* seat : {&early, &late}) {
    team.come(*seat);
    team.leave(*seat, team.compute(*seat));
  }
  const auto spans = team.timeline();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_GE(spans[0].begin, 0);
  EXPECT_LE(spans[0].begin, spans[0].end);
  EXPECT_LE(spans[0].end, spans[1].begin) << "in the order of their beginning";
  EXPECT_EQ(spans[1].end, team.took());
}

TEST(Team, ALargeOneAsksTheClockAtItsEndsAlone) {
  Team team{Team::most_timed + 1, 30us};
  team.begin();
  for (Team::Seat& seat : team.seats()) {
    team.come(seat);
    team.leave(seat, team.compute(seat));
    EXPECT_EQ(seat.began, io::TimePoint{});
    EXPECT_EQ(seat.ended, io::TimePoint{});
  }
  EXPECT_GT(team.took(), 0);
  EXPECT_TRUE(team.timeline().empty());
}

}  // namespace
}  // namespace harness
