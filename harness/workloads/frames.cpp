// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/frames.hpp"

#include "harness/contenders.hpp"

namespace harness {

namespace {

void run_by_key(Port& port, const Cell& cell) {
  if (cell.has("shape")) return run_shape(port, cell);
  if (cell.has("tasks")) return run_worker_stack(port, cell);
  run_nesting(port, cell);
}

}  // namespace

std::vector<Subject> frames_subjects() {
  return {{"frames", Futures::name, &run_by_key},
          {"frames", Coroutines::name, &run_by_key},
          {"frames", "floor-calls", &run_nesting}};
}

}  // namespace harness
