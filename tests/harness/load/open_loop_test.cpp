// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>
#include <vector>

#include "harness/load/measurement.hpp"
#include "harness/load/report.hpp"
#include "tests/harness/load/carried_out.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;
using test::carry_out;
using test::echo;
using test::HostileServer;
using test::plan_for;
using Message = std::vector<std::byte>;

TEST(OpenLoop, SendsWhatThePlanSays) {
  HostileServer server{echo(64)};
  Plan plan = plan_for(server);
  plan.rate = 2'000;
  Measurement measurement{plan};
  carry_out(measurement);
  const Tally& tally = measurement.sides().front()->tally();
  EXPECT_EQ(tally.planned, 200u);
  EXPECT_EQ(tally.operations, 200u);
}

TEST(OpenLoop, TakesTheTimeOfItsScheduleHoweverFewMessagesThatHas) {
  HostileServer server{echo(64)};
  Plan plan = plan_for(server);
  plan.rate = 5;
  plan.measure = 50ms;
  Measurement measurement{plan};
  carry_out(measurement);
  const Tally& tally = measurement.sides().front()->tally();
  EXPECT_EQ(tally.operations, 1u);
  EXPECT_EQ(tally.scheduled, 200ms);
  EXPECT_GE(tally.elapsed, 200ms) << "or a rate far above the one asked for is measured";
}

TEST(OpenLoop, CountsFromTheIntendedTime) {
  // One stall of 200 ms; at a message every 10 ms a score of users would have waited for it, though
  // only one message was under way.
  HostileServer server{echo(64, [](int, unsigned number, Message&) {
    if (number == 1) usleep(200'000);  // 0 is the greeting
    return true;
  })};
  Plan plan = plan_for(server);
  plan.connections = 1;
  plan.rate = 100;
  plan.measure = 300ms;
  Measurement measurement{plan};
  carry_out(measurement);
  const Histogram& latency = measurement.sides().front()->tally().latency;
  EXPECT_EQ(latency.count(), 30u);
  EXPECT_GE(latency.count_between(40'000'000, UINT64_MAX), 14u);
  EXPECT_GE(latency.max(), 200'000'000u);
}

/// Answers 200 messages a second on each connection.
HostileServer::Session slow_echo() {
  return echo(64, [](int, unsigned, Message&) {
    usleep(5'000);
    return true;
  });
}

TEST(OpenLoop, OverloadEndsSoonAndTheUnansweredCountWithTheirAge) {
  HostileServer server{slow_echo()};
  Plan plan = plan_for(server);
  plan.rate = 10'000;  // of 800
  Measurement measurement{plan};
  carry_out(measurement);
  const Tally& tally = measurement.sides().front()->tally();
  EXPECT_EQ(tally.planned, 1'000u);
  EXPECT_GT(tally.operations, 0u);
  EXPECT_LT(tally.operations, tally.planned) << "a backlog is not sent to its end";
  EXPECT_EQ(tally.latency.count(), tally.planned) << "or only the quick are counted";
  EXPECT_GE(tally.latency.max(), 250'000'000u) << "older than the drain is long";
  EXPECT_EQ(verdict(measurement), "") << "they are no errors";
  EXPECT_NE(summary(measurement).find("overloaded: "), std::string::npos);
  std::map<std::string, std::vector<double>> all;
  for (const auto& [name, values] : figures(measurement)) all[name] = values;
  EXPECT_EQ(all.at("unanswered").front(), static_cast<double>(tally.planned - tally.operations));
}

TEST(OpenLoop, BacklogOfAStallIsCaughtUpWith) {
  // Far shorter than the drain, so that a machine with others on it catches up in time, too.
  HostileServer server{echo(64, [](int, unsigned number, Message&) {
    if (number == 1) usleep(50'000);  // 0 is the greeting
    return true;
  })};
  Plan plan = plan_for(server);
  plan.against = plan_for(server).target;
  plan.rate = 1'000;
  Measurement measurement{plan};
  carry_out(measurement);
  for (const auto& side : measurement.sides()) {
    EXPECT_EQ(side->tally().operations, side->tally().planned);
    EXPECT_GE(side->tally().latency.max(), 50'000'000u);
  }
}

TEST(OpenLoop, MessagesOfALostConnectionCountWithTheirAge) {
  std::atomic<unsigned> sessions{0};
  HostileServer server{[&](int socket) {
    const bool leaves = sessions++ == 0;
    echo(64, [&](int, unsigned number, Message&) { return !leaves || number == 0; })(socket);
  }};
  Plan plan = plan_for(server);
  plan.rate = 400;
  Measurement measurement{plan};
  carry_out(measurement);
  const Side& side = *measurement.sides().front();
  EXPECT_EQ(side.errors().total(), 1u);
  EXPECT_EQ(side.tally().operations, 30u);
  EXPECT_EQ(side.tally().latency.count(), 39u) << "the one that broke is an error";
}

TEST(OpenLoop, ThePlanStaysWhatItWasWhenNobodyIsLeftToKeepIt) {
  HostileServer server{echo(64, [](int, unsigned number, Message&) { return number < 3; })};
  Plan plan = plan_for(server);
  plan.rate = 400;
  Measurement measurement{plan};
  try {
    carry_out(measurement);
  } catch (const Failure&) {
    // so many errors may well be told as one
  }
  const Side& side = *measurement.sides().front();
  EXPECT_EQ(side.errors().total(), plan.connections);
  EXPECT_EQ(side.tally().operations, 8u);
  EXPECT_EQ(side.tally().planned, 40u);
}

}  // namespace
}  // namespace harness::load
