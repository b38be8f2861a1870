// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "stackless/combinators.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless::test {

/// Pending so many times, then `value`. Says when it is polled and when it is gone.
class Steps : Immovable {
 public:
  using Output = int;

  Steps(Trace& trace, std::string name, int pending_polls, int value)
      : trace_{&trace}, name_{std::move(name)}, left_{pending_polls}, value_{value} {}
  ~Steps() { trace_->push_back(name_ + " gone"); }

  Poll<int> poll(Context& context) {
    trace_->push_back(name_);
    if (left_-- > 0) {
      context.waker().wake_by_ref();
      return pending;
    }
    return value_;
  }

 private:
  Trace* trace_;
  std::string name_;
  int left_;
  int value_;
};

/// What each test makes its children with.
struct Combinators : testing::Test {
  auto steps(const std::string& name, int pending_polls, int value) {
    return [=, this] {
      return Steps{trace, name, pending_polls, value};
    };
  }
  Trace trace;
  Probe probe;
};

}  // namespace stackless::test
