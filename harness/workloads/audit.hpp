// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

#include "harness/heap.hpp"
#include "harness/subject.hpp"

namespace harness {

/// What a process holds at a moment, and what a runtime does.
struct Holdings {
  double heap_bytes = 0;
  double descriptors = 0;
  double timers = 0;
  double tasks = 0;

  static Holdings now(std::size_t timers, std::size_t tasks) {
    namespace fs = std::filesystem;
    Holdings held{.timers = static_cast<double>(timers), .tasks = static_cast<double>(tasks)};
    held.descriptors = static_cast<double>(
        std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{}));
    held.heap_bytes = harness::heap_bytes();
    return held;
  }

  /// Sends what is held more than before: `leaked_heap_bytes`, `leaked_descriptors`,
  /// `leaked_timers`, `leaked_tasks`.
  void report_leaks(Port& port, const Holdings& before) const {
    port.result("leaked_heap_bytes", heap_bytes - before.heap_bytes);
    port.result("leaked_descriptors", descriptors - before.descriptors);
    port.result("leaked_timers", timers - before.timers);
    port.result("leaked_tasks", tasks - before.tasks);
  }
};

}  // namespace harness
