// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stackless/backend.hpp"

namespace stackless {
namespace {

using Trace = std::vector<std::string>;

Async<int> doubled(int value) { co_return 2 * value; }

Async<> two_yields(Trace& trace, std::string name) {
  trace.push_back(name + " starts");
  co_await yield();
  trace.push_back(name + " goes on with " + std::to_string(co_await doubled(21)));
  co_await yield();
  trace.push_back(name + " ends");
}

TEST(Executor, PollsTasksInTurn) {
  Executor executor;
  Trace trace;
  ASSERT_FALSE(executor.spawn([&] { return two_yields(trace, "a"); }));
  ASSERT_FALSE(executor.spawn([&] { return two_yields(trace, "b"); }));
  EXPECT_TRUE(trace.empty());
  executor.run();
  EXPECT_EQ(trace, (Trace{"a starts", "b starts", "a goes on with 42", "b goes on with 42",
                          "a ends", "b ends"}));
}

}  // namespace
}  // namespace stackless
