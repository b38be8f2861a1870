// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stackless/executor.hpp"

namespace stackless::test {

/// Pending, and nobody will ever wake it.
struct Broken : Immovable {
  using Output = void;
  static Poll<> poll(Context&) { return pending; }
};

struct Watchdog : testing::Test {
  Watchdog() { current = this; }
  ~Watchdog() override { current = nullptr; }

  static void report(const TaskName& task, Stuck how) {
    const std::string future{task.future};
    if (how == Stuck::in_silence) {
      current->named_in_silence.push_back(future);
    } else {
      current->named.push_back(future + " by " + std::string{task.spawner});
    }
    current->on_report();
  }
  Options options(io::Duration period) { return {.watchdog = period, .on_stuck = &report}; }

  static inline thread_local Watchdog* current = nullptr;
  std::vector<std::string> named;
  std::vector<std::string> named_in_silence;
  std::function<void()> on_report = [] {
  };
};

}  // namespace stackless::test
