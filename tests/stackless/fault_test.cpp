// SPDX-License-Identifier: BSL-1.0
#include "stackless/fault.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

void poll_once_too_often() {
  test::Probe probe;
  auto future = poll_fn([](Context&) -> Poll<> { return ready; });
  static_cast<void>(probe.poll(future));
  static_cast<void>(probe.poll(future));
}

TEST(FaultDeathTest, SaysWhatAndAborts) {
  EXPECT_EXIT(poll_once_too_often(), testing::KilledBySignal(SIGABRT),
              "stackless: a future was polled after completion");
}

TEST(FaultDeathTest, AHandlerThatReturnsIsNotReturnedFrom) {
  const auto replace_and_poll = [] {
    fault_handler = [](const char*) {
    };
    poll_once_too_often();
  };
  EXPECT_EXIT(
      replace_and_poll(),
      [](int status) { return WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT; }, "");
}

}  // namespace
}  // namespace stackless
