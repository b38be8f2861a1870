// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"

namespace stackless {
namespace {

/// Pending, and nobody will ever wake it.
struct Broken : Immovable {
  using Output = void;
  static Poll<> poll(Context&) { return pending; }
};

thread_local std::vector<std::string>* reports = nullptr;

struct Watchdog : testing::Test {
  Watchdog() { reports = &named; }
  ~Watchdog() override { reports = nullptr; }

  static void report(const TaskName& task) {
    reports->push_back(std::string{task.future} + " by " + std::string{task.spawner});
  }
  Options options(io::Duration period) { return {.watchdog = period, .on_stuck = &report}; }

  std::vector<std::string> named;
};

Async<> look(Executor& executor, std::size_t& found) {
  co_await yield();
  found = executor.look_for_stuck_tasks();
  executor.stop();
}

TEST_F(Watchdog, NamesABrokenFutureAndWhereItWasSpawned) {
  Executor executor{options({})};
  std::size_t found = 0;
  ASSERT_FALSE(executor.spawn([] { return Broken{}; }));
  ASSERT_FALSE(executor.spawn([&] { return look(executor, found); }));
  executor.run();
  EXPECT_EQ(found, 1U);
  ASSERT_EQ(named.size(), 1U);
  EXPECT_NE(named[0].find("Broken by "), std::string::npos) << named[0];
  // A lambda's place: GCC and clang 14 name the function it stands in, clang 19 its file and line.
  EXPECT_TRUE(named[0].find("NamesABrokenFutureAndWhereItWasSpawned") != std::string::npos ||
              named[0].find("watchdog_test.cpp:") != std::string::npos)
      << named[0];
  EXPECT_EQ(executor.look_for_stuck_tasks(), 0U) << "once each";
}

TEST_F(Watchdog, SeesNothingWrongWithTasksThatCanBeWoken) {
  Executor executor{options({})};
  Event event{executor};
  Waker elsewhere;
  std::size_t found = 1;
  std::error_code error;
  ASSERT_FALSE(executor.spawn([&] { return event.wait(); }));
  ASSERT_FALSE(executor.spawn([] { return sleep_until(io::never); }));
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      std::thread{[&] {
        elsewhere = context.waker().clone();
      }}.join();
      return pending;
    });
  }));
  ASSERT_FALSE(executor.spawn([&] { return look(executor, found); }));
  executor.run();
  EXPECT_EQ(found, 0U);
}

TEST_F(Watchdog, AHandleCannotWake) {
  Executor executor{options({})};
  std::size_t found = 0;
  std::error_code error;
  const auto handle = executor.spawn_joinable([] { return Broken{}; }, error);
  ASSERT_FALSE(error);
  ASSERT_FALSE(executor.spawn([&] { return look(executor, found); }));
  executor.run();
  EXPECT_EQ(found, 1U);
}

Async<> stop_later(Executor& executor) {
  co_await sleep_until(io::Clock::now() + std::chrono::milliseconds{50});
  executor.stop();
}

TEST_F(Watchdog, LooksByItselfWhenNothingHappens) {
  Executor executor{options(std::chrono::milliseconds{1})};
  ASSERT_FALSE(executor.spawn([] { return Broken{}; }));
  ASSERT_FALSE(executor.spawn([&] { return stop_later(executor); }));
  executor.run();
  EXPECT_EQ(named.size(), 1U);
}

}  // namespace
}  // namespace stackless
