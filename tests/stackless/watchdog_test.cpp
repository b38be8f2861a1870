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
#include "tests/stackless/watchdog_fixture.hpp"

namespace stackless {
namespace {

using test::Broken;
using test::Watchdog;

Async<> look(Executor& executor, std::size_t& found) {
  co_await yield();
  executor.deliver_posts();
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

Async<> wait_for_its_own(Executor& executor) {
  Event event{executor};
  co_await event.wait();
}

TEST_F(Watchdog, SeesNothingWrongWithTasksThatCanBeWoken) {
  Executor executor{options({})};
  Waker elsewhere;
  std::size_t found = 1;
  ASSERT_FALSE(executor.spawn([&] { return wait_for_its_own(executor); }));
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

/// As after a detach by another thread: the executor hears of it by post.
TEST_F(Watchdog, AHandleDetachedBeforeRunLeavesTheWaker) {
  Executor executor{options({})};
  Event event{executor};
  std::size_t found = 1;
  std::error_code error;
  executor.spawn_joinable([&] { return event.wait(); }, error).detach();
  ASSERT_FALSE(error);
  ASSERT_FALSE(executor.spawn([&] { return look(executor, found); }));
  executor.run();
  EXPECT_EQ(found, 0U);
  event.set();
  executor.run();
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

Async<> tick(Executor& executor, const std::vector<std::string>& named) {
  while (named.empty()) co_await sleep_until(io::Clock::now() + std::chrono::milliseconds{1});
  executor.stop();
}

Async<> spin(Executor& executor, const std::vector<std::string>& named) {
  while (named.empty()) co_await yield();
  executor.stop();
}

TEST_F(Watchdog, LooksHoweverBusyTheOthersAre) {
  for (const auto& busy : {&tick, &spin}) {
    named.clear();
    Executor executor{options(std::chrono::milliseconds{20})};
    ASSERT_FALSE(executor.spawn([] { return Broken{}; }));
    ASSERT_FALSE(executor.spawn([&] { return busy(executor, named); }));
    executor.run();
    EXPECT_EQ(named.size(), 1U);
  }
  EXPECT_TRUE(named_in_silence.empty());
}

Async<> after_the_other(Event& mine, Event& other) {
  co_await mine.wait();
  other.set();
}

TEST_F(Watchdog, AbortsWhatItNames) {
  Executor executor{options(std::chrono::milliseconds{1})};
  std::vector<JoinHandle<void>> handles;
  for (int i = 0; i != 3; ++i) {
    std::error_code error;
    handles.push_back(executor.spawn_joinable([] { return Broken{}; }, error));
    ASSERT_FALSE(error);
  }
  on_report = [&] {
    handles[named.size() - 1].abort();
  };
  executor.run();
  EXPECT_EQ(named.size(), 3U);
  EXPECT_EQ(executor.live_tasks(), 0U);
}

TEST_F(Watchdog, NamesTwoThatWaitForEachOther) {
  Executor executor{options(std::chrono::milliseconds{5})};
  Event one{executor};
  Event other{executor};
  ASSERT_FALSE(executor.spawn([&] { return after_the_other(one, other); }));
  ASSERT_FALSE(executor.spawn([&] { return after_the_other(other, one); }));
  on_report = [&] {
    if (named_in_silence.size() == 2) one.set();
  };
  executor.run();
  EXPECT_TRUE(named.empty()) << "an event holds their wakers";
  EXPECT_EQ(named_in_silence.size(), 2U);
}

/// Loses its waker when it is told to.
struct Forgetful : Immovable {
  using Output = void;
  Waker& kept;
  explicit Forgetful(Waker& waker) : kept{waker} {}
  Poll<> poll(Context& context) {
    kept = context.waker().clone();
    return pending;
  }
};

TEST_F(Watchdog, NamesATaskForGoodThatItHadNamedInSilence) {
  Waker kept;
  Executor executor{options(std::chrono::milliseconds{1})};
  ASSERT_FALSE(executor.spawn([&] { return Forgetful{kept}; }));
  on_report = [&] {
    kept.reset();
    if (!named.empty()) executor.stop();
  };
  executor.run();
  EXPECT_EQ(named_in_silence.size(), 1U);
  EXPECT_EQ(named.size(), 1U);
}

Async<> set_later(Event& event) {
  co_await sleep_until(io::Clock::now() + std::chrono::milliseconds{50});
  event.set();
}

TEST_F(Watchdog, WhileATimerIsArmedNobodyIsNamedForSilence) {
  Executor executor{options(std::chrono::milliseconds{5})};
  Event event{executor};
  ASSERT_FALSE(executor.spawn([&] { return event.wait(); }));
  ASSERT_FALSE(executor.spawn([&] { return set_later(event); }));
  executor.run();
  EXPECT_TRUE(named.empty());
  EXPECT_TRUE(named_in_silence.empty());
}

}  // namespace
}  // namespace stackless
