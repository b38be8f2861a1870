// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

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

TEST(Measurement, FlippedBitIsWrong) {
  HostileServer server{echo(64, [](int, unsigned number, Message& message) {
    if (number == 3) message[40] ^= std::byte{1};
    return true;
  })};
  EXPECT_EQ(last_word(plan_for(server)).substr(0, 8), "wrong: 4") << "one a connection";
}

TEST(Measurement, RepeatedAnswerIsWrong) {
  Message last;
  HostileServer server{echo(64, [&last](int, unsigned number, Message& message) {
    if (number == 2) message = last;
    last = message;
    return true;
  })};
  Plan plan = plan_for(server);
  plan.connections = 1;
  EXPECT_EQ(last_word(plan).substr(0, 8), "wrong: 1");
}

TEST(Measurement, SurplusByteIsWrong) {
  HostileServer server{echo(64, [](int, unsigned number, Message& message) {
    if (number == 3) message.push_back(std::byte{0});
    return true;
  })};
  EXPECT_EQ(last_word(plan_for(server)).substr(0, 6), "wrong:");
}

TEST(Measurement, ClosedByThePeer) {
  HostileServer server{echo(64, [](int, unsigned number, Message&) { return number < 3; })};
  const std::string line = last_word(plan_for(server));
  EXPECT_EQ(line.substr(0, 7), "failed:");
  EXPECT_NE(line.find("closed=4"), line.npos) << line;
}

TEST(Measurement, CutShort) {
  HostileServer server{echo(64, [](int socket, unsigned number, Message& message) {
    if (number < 3) return true;
    test::send(socket, std::span{message}.first(10));
    return false;
  })};
  const std::string line = last_word(plan_for(server));
  EXPECT_EQ(line.substr(0, 7), "failed:");
  EXPECT_NE(line.find("short=4"), line.npos) << line;
}

TEST(Measurement, ResetByThePeer) {
  HostileServer server{echo(64, [](int socket, unsigned number, Message&) {
    if (number < 3) return true;
    test::reset(socket);
    return false;
  })};
  const std::string line = last_word(plan_for(server));
  EXPECT_EQ(line.substr(0, 7), "failed:");
  EXPECT_NE(line.find("reset=4"), line.npos) << line;
}

TEST(Measurement, OneOfManyFailsAndTheOthersGoOn) {
  std::atomic<unsigned> sessions{0};
  HostileServer server{[&](int socket) {
    const bool bad = sessions++ == 2;
    echo(64, [bad](int, unsigned number, Message&) { return !bad || number < 3; })(socket);
  }};
  Measurement measurement{plan_for(server)};
  carry_out(measurement);
  const Side& side = *measurement.sides().front();
  EXPECT_EQ(side.errors()[ErrorKind::closed], 1u);
  EXPECT_EQ(side.errors().total(), 1u);
  EXPECT_GE(side.tally().elapsed, 100ms);
  EXPECT_EQ(verdict(measurement).substr(0, 15), "failed: 1 error") << "three are not four";
}

TEST(Measurement, ErrorsBeyondOneInAThousandFailTheRun) {
  std::atomic<unsigned> sessions{0};
  HostileServer server{[&](int socket) {
    const bool bad = sessions++ < 3;
    echo(64, [bad](int, unsigned number, Message&) {
      if (!bad) usleep(2'000);  // so that three errors are many
      return !bad || number < 3;
    })(socket);
  }};
  const std::string line = last_word(plan_for(server));
  EXPECT_EQ(line.substr(0, 16), "failed: 3 errors") << line;
}

TEST(Measurement, NeverAnsweringServerTimesOutInTheRamp) {
  HostileServer server{[](int socket) {
    Message ignored(64);
    while (test::receive(socket, ignored)) {
    }
  }};
  Plan plan = plan_for(server);
  plan.timeout = 100ms;
  EXPECT_EQ(last_word(plan).substr(0, 8), "timeout:");
}

TEST(Measurement, ServerThatFallsSilentTimesOut) {
  HostileServer server{echo(64, [](int, unsigned number, Message& message) {
    if (number >= 3) message.clear();
    return true;
  })};
  Plan plan = plan_for(server);
  plan.timeout = 100ms;
  for (const double rate : {0.0, 500.0}) {
    plan.rate = rate;
    EXPECT_EQ(last_word(plan).substr(0, 8), "timeout:") << rate;
  }
}

TEST(Measurement, NobodyListening) {
  Plan plan;
  {
    HostileServer server{echo(64)};
    plan = plan_for(server);
  }
  EXPECT_EQ(last_word(plan).substr(0, 28), "failed: connection 1 of 4 to");
}

}  // namespace
}  // namespace harness::load
