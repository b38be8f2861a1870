// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <utility>

#include "stackful/join_handle.hpp"
#include "tests/stackful/scheduler_fixture.hpp"

/// Spawns with handles, and cancels what waits.
class JoinTest : public SchedulerTest {
 protected:
  template <class Body>
  auto spawn_joinable(Body body) {
    std::error_code error;
    auto handle = stackful::spawn_joinable(scheduler_, std::move(body), error);
    EXPECT_FALSE(error) << error.message();
    return handle;
  }

  /// Runs `wait` in a fiber, cancels it once it waits, and returns what happened meanwhile.
  template <class Wait>
  std::string cancelled_in(Wait wait) {
    auto handle = spawn_joinable([this, &wait] {
      const Noted guard{*this};
      note("wait");
      wait();
      note("woken");
    });
    spawn([&] {
      note("cancel");
      handle.cancel();
      try {
        handle.join();
        note("returned");
      } catch (const stackful::Cancelled&) {
        note("cancelled");
      }
    });
    scheduler_.run();
    return std::exchange(trace_, {});
  }

  struct Noted {
    explicit Noted(JoinTest& test_case) : test{test_case} {}
    ~Noted() { test.note("unwound"); }
    JoinTest& test;
  };
};
