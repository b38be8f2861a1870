// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "stackless/coroutine.hpp"
#include "stackless/map.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::Probe;

Async<int> throws(bool suspends_first) {
  if (suspends_first) co_await yield();
  throw std::runtime_error{"thrown"};
}

Async<std::string> catches(bool suspends_first) {
  try {
    co_return std::to_string(co_await throws(suspends_first));
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
}

Async<int> passes_on(bool suspends_first) {
  co_return co_await throws(suspends_first);
}

TEST(Coroutine, ExceptionsCrossAwaits) {
  for (const bool suspends_first : {false, true}) {
    Probe probe;
    Async<std::string> future = catches(suspends_first);
    if (suspends_first) {
      EXPECT_TRUE(probe.poll(future).is_pending());
    }
    EXPECT_EQ(probe.poll(future).take(), "thrown");
  }
}

TEST(Coroutine, ExceptionsLeaveThePoll) {
  for (const bool suspends_first : {false, true}) {
    Probe probe;
    Async<int> future = passes_on(suspends_first);
    if (suspends_first) {
      EXPECT_TRUE(probe.poll(future).is_pending());
    }
    EXPECT_THROW(static_cast<void>(probe.poll(future)), std::runtime_error);
  }
}

auto failing(int polls_before) {
  return poll_fn([polls_before](Context&) mutable -> Poll<> {
    if (polls_before-- == 0) throw std::runtime_error{"leaf"};
    return pending;
  });
}

Async<std::string> awaits_failing(int polls_before) {
  try {
    co_await failing(polls_before);
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
  co_return "nothing";
}

TEST(Coroutine, CatchesWhatAFuturesPollThrows) {
  for (const int polls_before : {0, 1, 3}) {
    Probe probe;
    Async<std::string> future = awaits_failing(polls_before);
    for (int i = 0; i < polls_before; ++i) EXPECT_TRUE(probe.poll(future).is_pending());
    EXPECT_EQ(probe.poll(future).take(), "leaf");
  }
}

Async<> throws_with(Counted kept, bool late) {
  const Counted local{kept};
  if (late) co_await yield();
  throw std::runtime_error{"thrown"};
}

TEST(Coroutine, AnExceptionLeavesNothingAlive) {
  for (const bool late : {false, true}) {
    int alive = 0;
    {
      Probe probe;
      Async<> future = throws_with(Counted{alive}, late);
      if (late) {
        EXPECT_TRUE(probe.poll(future).is_pending());
      }
      EXPECT_THROW(static_cast<void>(probe.poll(future)), std::runtime_error);
    }
    EXPECT_EQ(alive, 0);
  }
}

}  // namespace
}  // namespace stackless
