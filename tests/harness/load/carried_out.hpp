// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <system_error>

#include "harness/load/measurement.hpp"
#include "harness/load/report.hpp"
#include "harness/row.hpp"
#include "tests/harness/load/hostile_server.hpp"

namespace harness::load::test {

inline Plan plan_for(const HostileServer& server) {
  Plan plan;
  std::error_code error;
  plan.target.address = Address::parse(server.address(), error);
  EXPECT_FALSE(error);
  plan.connections = 4;
  plan.warm_up = std::chrono::nanoseconds{0};
  plan.measure = std::chrono::milliseconds{100};
  plan.timeout = std::chrono::seconds{20};  // only the tests of time-outs may meet it
  return plan;
}

inline void carry_out(Measurement& measurement) {
  measurement.connect(measurement.plan().connections);
  measurement.warm_up();
  measurement.measure();
}

/// The line with which a measurement of this server ends; empty if it ends well.
inline std::string last_word(const Plan& plan) {
  try {
    Measurement measurement{plan};
    carry_out(measurement);
    return verdict(measurement);
  } catch (const Failure& failure) {
    return failure.what();
  }
}

}  // namespace harness::load::test
