// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "io/reactor.hpp"
#include "io/source.hpp"
#include "tests/io/wired.hpp"

namespace {

using io::Source;

// A source that could go on for ever makes way for the others.
class Rest : public testing::Test {
 protected:
  std::unique_ptr<Source> source_of(Pair& pair) {
    EXPECT_EQ(::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK), 0);
    std::error_code error;
    auto source = std::make_unique<Source>(reactor, std::move(pair.ours), error);
    EXPECT_FALSE(error) << error.message();
    return source;
  }

  /// Reads byte by byte until it is told to wait; how many.
  static unsigned read_on(Source& source) {
    std::array<std::byte, 1> byte{};
    unsigned reads = 0;
    while (source.try_read(byte)) ++reads;
    return reads;
  }

  void SetUp() override { send_all(busy.theirs, std::string(1000, 'x')); }

  io::Reactor reactor;
  Pair busy;
  Pair other;
  Bell bell;
};

TEST_F(Rest, AfterTheBudgetAndGoesOnInTheNextTurn) {
  const auto source = source_of(busy);
  reactor.turn(io::TimePoint::min());
  for (int rests = 1; rests <= 3; ++rests) {
    EXPECT_EQ(read_on(*source), io::poll_budget);
    EXPECT_EQ(read_on(*source), 0U) << "trying again is no way round";
    source->await_readable(&bell);
    EXPECT_EQ(bell.rung, rests - 1) << "not before the turn";
    EXPECT_EQ(reactor.turn(io::never), 1U);
    EXPECT_EQ(bell.rung, rests);
  }
}

TEST_F(Rest, WritesCountToo) {
  const auto source = source_of(busy);
  const std::array<std::byte, 1> byte{};
  unsigned writes = 0;
  while (source->try_write(byte)) ++writes;
  EXPECT_EQ(writes, io::poll_budget);
  source->await_writable(&bell);
  EXPECT_EQ(reactor.turn(io::never), 1U);
  EXPECT_TRUE(source->try_write(byte));
}

TEST_F(Rest, ARealWaitStartsTheBudgetAfresh) {
  const auto source = source_of(other);
  std::array<std::byte, 8> buffer{};
  for (unsigned message = 0; message < 2 * io::poll_budget; ++message) {
    source->await_readable(&bell);
    send_all(other.theirs, "one");
    EXPECT_GE(reactor.turn(io::never), 1U);
    EXPECT_TRUE(source->try_read(buffer)) << message;
    EXPECT_FALSE(source->try_read(buffer));
  }
}

TEST_F(Rest, OthersAreNotifiedFirst) {
  static int turn = 0;
  turn = 0;
  struct Placed : io::Waiter {
    Placed() {
      notify = [](io::Waiter& waiter) noexcept {
        static_cast<Placed&>(waiter).place = ++turn;
      };
    }
    int place = 0;
  } of_busy, of_other;
  const auto source = source_of(busy);
  const auto quiet = source_of(other);
  reactor.turn(io::TimePoint::min());
  read_on(*source);
  source->await_readable(&of_busy);
  quiet->await_readable(&of_other);
  send_all(other.theirs, "x");
  EXPECT_EQ(reactor.turn(io::never), 2U);
  EXPECT_EQ(of_other.place, 1);
  EXPECT_EQ(of_busy.place, 2);
}

TEST_F(Rest, WhoWaitsForWhatIsReadyIsNotifiedInTheNextTurn) {
  const auto source = source_of(busy);
  reactor.turn(io::TimePoint::min());
  source->await_readable(&bell);
  EXPECT_EQ(reactor.turn(io::never), 1U);
  EXPECT_EQ(bell.rung, 1);
}

TEST_F(Rest, CanBeGivenUp) {
  const auto source = source_of(busy);
  reactor.turn(io::TimePoint::min());
  read_on(*source);
  source->await_readable(&bell);
  source->await_readable(nullptr);
  EXPECT_EQ(reactor.turn(io::TimePoint::min()), 0U);
  EXPECT_EQ(bell.rung, 0);
  EXPECT_EQ(read_on(*source), io::poll_budget) << "the turn was the rest";
}

TEST_F(Rest, ASourceThatEndsMeanwhileIsForgotten) {
  auto source = source_of(busy);
  auto second = source_of(other);
  reactor.turn(io::TimePoint::min());
  source->await_readable(&bell);
  second->await_writable(&bell);
  source->await_readable(nullptr);
  source.reset();
  EXPECT_EQ(reactor.turn(io::TimePoint::min()), 1U);
}

TEST_F(Rest, OneThatIsNotifiedMayDestroyOneThatRestsToo) {
  struct Killer : io::Waiter {
    Killer() {
      notify = [](io::Waiter& waiter) noexcept {
        auto& killer = static_cast<Killer&>(waiter);
        ++killer.rung;
        killer.victim.reset();
      };
    }
    std::unique_ptr<Source> victim;
    int rung = 0;
  } first, second;
  first.victim = source_of(busy);
  second.victim = source_of(other);
  Source* const one = first.victim.get();
  Source* const another = second.victim.get();
  reactor.turn(io::TimePoint::min());      // takes the events of the registration
  std::swap(first.victim, second.victim);  // whoever comes first ends the other
  one->await_writable(&first);
  another->await_writable(&second);
  EXPECT_EQ(reactor.turn(io::TimePoint::min()), 1U);
  EXPECT_EQ(first.rung + second.rung, 1);
}

}  // namespace
