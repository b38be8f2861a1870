// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/stackful/join_fixture.hpp"

namespace {

TEST_F(JoinTest, BringsTheResultToTheJoiner) {
  auto text = spawn_joinable([] { return std::make_unique<std::string>("from afar"); });
  auto nothing = spawn_joinable([this] {
    scheduler_.yield();
    note("ran");
  });
  spawn([&] {
    nothing.join();
    note(*text.join());
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "ran from afar");
  EXPECT_FALSE(text.joinable());
}

TEST_F(JoinTest, BringsTheExceptionToTheJoiner) {
  auto failing = spawn_joinable([]() -> int { throw std::runtime_error{"broken"}; });
  spawn([&] {
    try {
      failing.join();
    } catch (const std::runtime_error& error) {
      note(error.what());
    }
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "broken");
}

TEST_F(JoinTest, CanBeJoinedAfterTheRun) {
  auto answer = spawn_joinable([] { return 42; });
  scheduler_.run();
  EXPECT_EQ(answer.join(), 42);
}

TEST_F(JoinTest, TheStackIsKeptUntilTheHandleIsGone) {
  auto first = spawn_joinable([] { return 1; });
  scheduler_.run();
  spawn([] {});
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 2U);
  EXPECT_EQ(first.join(), 1);
  spawn([] {});
  spawn([] {});
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 2U);
}

TEST_F(JoinTest, ADroppedHandleDetaches) {
  const auto owned = std::make_shared<int>(0);
  {
    auto before = spawn_joinable([this, owned] {
      note("on its own");
      return owned;
    });
  }
  auto after = spawn_joinable([owned] { return owned; });
  scheduler_.run();
  after = {};
  EXPECT_EQ(trace_, "on its own");
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(JoinTest, AnExceptionNobodyCanHearOfTerminates) {
  static_cast<void>(spawn_joinable([] { throw std::runtime_error{"into the void"}; }));
  EXPECT_DEATH(scheduler_.run(), "into the void");
}

}  // namespace
