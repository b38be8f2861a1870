// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/frames.hpp"

#include <fmt/format.h>

#include "harness/contenders.hpp"

namespace harness {

namespace {

void run_by_key(Port& port, const Cell& cell) {
  if (cell.has("shape")) return run_shape(port, cell);
  if (cell.has("tasks")) return run_worker_stack(port, cell);
  run_nesting(port, cell);
}

}  // namespace

std::string compiler_named(const std::map<std::string, double>& told) {
  const auto number = [&told](const char* part) {
    const auto found = told.find(part);
    return found == told.end() ? 0 : static_cast<int>(found->second);
  };
  return fmt::format("compiler {}.{}", number("major"), number("minor"));
}

std::vector<Subject> frames_subjects() {
  return {{"frames", Futures::name, &run_by_key},
          {"frames", Coroutines::name, &run_by_key},
          {"frames", "floor-calls", &run_nesting}};
}

}  // namespace harness
