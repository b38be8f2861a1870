// SPDX-License-Identifier: BSL-1.0
#include "harness/load/measurement.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "harness/load/report.hpp"
#include "tests/harness/load/carried_out.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;
using test::carry_out;
using test::echo;
using test::HostileServer;
using test::last_word;
using test::plan_for;
using Message = std::vector<std::byte>;

TEST(Measurement, HonestServerClosedLoop) {
  HostileServer server{echo(64)};
  Measurement measurement{plan_for(server)};
  carry_out(measurement);
  const Side& side = *measurement.sides().front();
  EXPECT_GT(side.tally().operations, 0u);
  EXPECT_GT(side.tally().latency.count(), 0u);
  EXPECT_GE(side.tally().operations, side.tally().latency.count() + plan_for(server).connections)
      << "what all begin with is no latency";
  EXPECT_EQ(side.errors().total(), 0u);
  EXPECT_GE(side.tally().elapsed, 100ms);
  EXPECT_EQ(verdict(measurement), "");
}

TEST(Measurement, OnlyTcpHasListenersThatTurnAway) {
  HostileServer server{echo(64)};
  Plan plan = plan_for(server);
  plan.against = plan.target;
  EXPECT_EQ(Measurement{plan}.turned_away(), 0u);
  std::error_code error;
  plan.against->address = Address::parse("unix:@nobody", error);
  EXPECT_EQ(Measurement{plan}.turned_away(), 0u);
  plan.target = *plan.against;
  EXPECT_EQ(Measurement{plan}.turned_away(), std::nullopt);
}

TEST(Measurement, OnlyTheActiveSend) {
  std::atomic<unsigned> messages[10] = {};
  std::atomic<unsigned> sessions{0};
  HostileServer server{[&](int socket) {
    const unsigned mine = sessions++;
    echo(64, [&](int, unsigned, Message&) { return ++messages[mine] > 0; })(socket);
  }};
  Plan plan = plan_for(server);
  plan.connections = 10;
  plan.active = 3;
  Measurement measurement{plan};
  carry_out(measurement);
  EXPECT_EQ(std::ranges::count_if(messages, [](unsigned sent) { return sent > 1; }), 3);
  EXPECT_EQ(std::ranges::count_if(messages, [](unsigned sent) { return sent == 1; }), 7)
      << "each was greeted";
}

TEST(Measurement, LargeMessagesThroughSmallBuffers) {
  HostileServer server{[](int socket) {
    Message piece(1000);
    while (true) {
      const ssize_t got = ::read(socket, piece.data(), piece.size());
      if (got <= 0 || !test::send(socket, std::span{piece}.first(static_cast<std::size_t>(got)))) {
        return;
      }
    }
  }};
  Plan plan = plan_for(server);
  plan.bytes = Plan::most_bytes;
  EXPECT_EQ(last_word(plan), "");
}

TEST(Measurement, TricklingServerIsSlowNotWrong) {
  HostileServer server{echo(16, [](int socket, unsigned, Message& message) {
    for (const std::byte& byte : message) {
      if (!test::send(socket, {&byte, 1})) return false;
      usleep(500);
    }
    message.clear();
    return true;
  })};
  Plan plan = plan_for(server);
  plan.bytes = 16;
  EXPECT_EQ(last_word(plan), "");
}

TEST(Measurement, PairTakesTurns) {
  HostileServer one{echo(64)}, other{echo(64)};
  Plan plan = plan_for(one);
  plan.against = plan_for(other).target;
  plan.target.pid = plan.against->pid = getpid();
  plan.measure = 400ms;
  Measurement measurement{plan};
  carry_out(measurement);
  EXPECT_GE(measurement.cpu_ratios().size(), 1u);
  std::map<std::string, std::vector<double>> all;
  for (const auto& [name, values] : figures(measurement)) all[name] = values;
  for (const std::string prefix : {"", "floor_"}) {
    EXPECT_GT(all.at(prefix + "operations").front(), 0) << prefix;
    EXPECT_GT(all.at(prefix + "server_cpu_ns_per_op").front(), 0) << prefix;
    EXPECT_GT(all.at(prefix + "p50_ns").front(), 0) << prefix;
    EXPECT_EQ(all.at(prefix + "errors").front(), 0) << prefix;
  }
  EXPECT_EQ(all.at("cpu_ratios").size(), measurement.cpu_ratios().size());
}

TEST(Measurement, ProcessThatDoesNotHoldTheConnectionsIsNotTheServer) {
  HostileServer server{echo(64)};
  Plan plan = plan_for(server);
  int holding[2];
  ASSERT_EQ(::pipe(holding), 0);
  const pid_t busy_elsewhere = fork();
  if (busy_elsewhere == 0) {
    for (int fd = 3; fd < 100; ++fd) {
      if (fd != holding[1]) ::close(fd);
    }
    ::close(holding[1]);
    while (true) (void)::getppid();
  }
  ::close(holding[1]);
  char nothing = 0;
  ASSERT_EQ(::read(holding[0], &nothing, 1), 0) << "it holds nothing any more";
  ::close(holding[0]);
  plan.target.pid = busy_elsewhere;
  const std::string line = last_word(plan);
  EXPECT_EQ(::kill(busy_elsewhere, SIGKILL), 0);
  EXPECT_EQ(waitpid(busy_elsewhere, nullptr, 0), busy_elsewhere);
  EXPECT_NE(line.find("holds 0 sockets, not the 4 connections"), line.npos) << line;
}

TEST(Measurement, VanishedProcessIsFailed) {
  HostileServer server{echo(64)};
  Plan plan = plan_for(server);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  plan.target.pid = child;
  EXPECT_EQ(last_word(plan).substr(0, 18), "failed: no process");
}

/// The last word of a process that may have so few descriptors.
[[noreturn]] void say_last_word_with_few_descriptors(const Plan& plan) {
  const rlimit few{100, 100};
  const bool limited = ::setrlimit(RLIMIT_NOFILE, &few) == 0;
  const std::string line = limited ? last_word(plan) : "no limit";
  fputs(line.c_str(), stderr);
  _exit(0);
}

TEST(MeasurementDeathTest, DescriptorLimitIsRefusedBeforehand) {
  Plan plan;
  std::error_code error;
  plan.target.address = Address::parse("unix:@yardstack-nobody", error);
  plan.connections = 200;
  EXPECT_EXIT(say_last_word_with_few_descriptors(plan), testing::ExitedWithCode(0),
              "refused: RLIMIT_NOFILE of the load generator reached=100 limit=100 needed=216");
}

TEST(Plan, SpreadsOverSourceAddresses) {
  Plan plan;
  std::error_code error;
  plan.target.address = Address::parse("127.0.0.1:80", error);
  plan.connections = 100;
  EXPECT_EQ(source_addresses(plan, plan.target), 1u);
  plan.connections = 200'000;
  EXPECT_GE(source_addresses(plan, plan.target), 4u);
  plan.target.address = Address::parse("10.0.0.1:80", error);
  EXPECT_EQ(source_addresses(plan, plan.target), 0u);
}

TEST(Plan, ObjectsToWhatCannotBe) {
  const auto objection = [](auto change) {
    Plan plan;
    change(plan);
    return plan.objection();
  };
  EXPECT_EQ(objection([](Plan&) {}), "");
  EXPECT_NE(objection([](Plan& plan) { plan.connections = 0; }), "");
  EXPECT_NE(objection([](Plan& plan) { plan.active = 65; }), "");
  EXPECT_NE(objection([](Plan& plan) { plan.bytes = 0; }), "");
  EXPECT_NE(objection([](Plan& plan) { plan.bytes = Plan::most_bytes + 1; }), "");
  EXPECT_NE(objection([](Plan& plan) { plan.rate = -1; }), "");
  EXPECT_NE(objection([](Plan& plan) { plan.rate = std::numeric_limits<double>::quiet_NaN(); }),
            "");
}

TEST(Figures, PlateauAtFortyMilliseconds) {
  Histogram latency;
  for (int i = 0; i < 1'000; ++i) latency.record(100'000);
  EXPECT_FALSE(has_delayed_ack_plateau(latency));
  for (std::uint64_t i = 0; i < 20; ++i) latency.record(40'000'000 + i * 100'000);
  EXPECT_TRUE(has_delayed_ack_plateau(latency));
  for (std::uint64_t i = 0; i < 300; ++i) latency.record(20'000'000 + i * 200'000);
  EXPECT_FALSE(has_delayed_ack_plateau(latency)) << "only a broad tail";
}

}  // namespace
}  // namespace harness::load
