// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <utility>

#include "stackless/push/backend.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless::push {

/// A loop, and a place to note what happens in it.
struct Push : testing::Test {
  /// Runs `body` in the loop, and the loop to its end.
  template <class Body>
  void run(Body body) {
    ASSERT_FALSE(loop.spawn(body));
    loop.run();
    EXPECT_EQ(loop.operations(), 0U);
  }
  template <class T>
  static void expect_cancelled(Promise<T> promise, int& cancelled) {
    std::move(promise).when_settled([&](const Outcome<T>& outcome) {
      EXPECT_TRUE(outcome.was_cancelled());
      ++cancelled;
    });
  }

  test::Trace trace;
  Loop loop;
};

}  // namespace stackless::push
