// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/compose.hpp"

#include <fmt/format.h>

#include "harness/contenders.hpp"

namespace harness {

namespace {

struct Workload {
  std::string_view key;
  void (*run)(Port&, const Cell&);
};

constexpr Workload workloads[] = {{"depth", &run_depth},   {"suspensions", &run_suspensions},
                                  {"before", &run_before}, {"waits", &run_waits},
                                  {"place", &run_place},   {"memory", &run_arena}};

void run_by_key(Port& port, const Cell& cell) {
  for (const auto& workload : workloads) {
    if (cell.has(workload.key)) return workload.run(port, cell);
  }
  port.failure(fmt::format("failed: {} names no workload", cell.name()));
}

}  // namespace

std::vector<Subject> compose_subjects() {
  std::vector<Subject> subjects;
  for_each_contender<Composers>([&]<class C>() {
    subjects.push_back({"compose", C::name, &run_by_key});
  });
  return subjects;
}

}  // namespace harness
