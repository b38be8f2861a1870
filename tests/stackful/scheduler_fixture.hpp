// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <utility>

#include "stackful/scheduler.hpp"

/// A scheduler, and a place to note what its fibers do.
class SchedulerTest : public testing::Test {
 public:
  void note(const std::string& what) { trace_ += (trace_.empty() ? "" : " ") + what; }

 protected:
  template <class Body>
  void spawn(Body body) {
    const std::error_code error = scheduler_.spawn(std::move(body));
    ASSERT_FALSE(error) << error.message();
  }

  stackful::Scheduler scheduler_{{}};
  std::string trace_;
};
