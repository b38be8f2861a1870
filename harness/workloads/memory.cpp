// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/memory.hpp"

#include "harness/contenders.hpp"

namespace harness {

namespace {

void run(Port& port, const Cell& cell) {
  cell.text("state") == "connected" ? run_connected(port, cell) : run_sleeping(port, cell);
}

}  // namespace

std::vector<Subject> memory_subjects() {
  std::vector<Subject> subjects = subjects_of("memory", []<class C>() { return &run; });
  for (const auto* floor : {"floor-socket", "floor-timer", "floor-page"}) {
    subjects.push_back({"memory", floor, &run});
  }
  return subjects;
}

}  // namespace harness
