// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>

#include "harness/heap.hpp"
#include "harness/subject.hpp"

namespace harness {

/// What a runtime holds at a moment.
struct InRuntime {
  std::size_t timers = 0;
  std::size_t tasks = 0;
  std::optional<std::size_t> stacks{};  ///< lent by its pool; empty where there is none
};

/// What a process holds at a moment, and its runtime.
struct Holdings {
  double heap_bytes = 0;
  double descriptors = 0;
  InRuntime runtime;

  static Holdings now(const InRuntime& runtime) {
    namespace fs = std::filesystem;
    Holdings held{.runtime = runtime};
    held.descriptors = static_cast<double>(
        std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{}));
    held.heap_bytes = harness::heap_bytes();
    return held;
  }

  /// Sends what is held more than before: `leaked_heap_bytes`, `leaked_descriptors`,
  /// `leaked_timers`, `leaked_tasks`, `leaked_stacks`. Never less than nothing, so that no surplus
  /// of one makes up for a leak of another in their sum.
  void report_leaks(Port& port, const Holdings& before) const {
    const auto report = [&port](const char* counter, double now, double then) {
      port.result(counter, std::max(0.0, now - then));
    };
    const auto count = [](std::size_t things) {
      return static_cast<double>(things);
    };
    report("leaked_heap_bytes", heap_bytes, before.heap_bytes);
    report("leaked_descriptors", descriptors, before.descriptors);
    report("leaked_timers", count(runtime.timers), count(before.runtime.timers));
    report("leaked_tasks", count(runtime.tasks), count(before.runtime.tasks));
    if (!runtime.stacks) return;
    report("leaked_stacks", count(*runtime.stacks), count(before.runtime.stacks.value_or(0)));
  }
};

}  // namespace harness
