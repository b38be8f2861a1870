// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/compose.hpp"

#include "harness/floors/calls.hpp"
#include "harness/workloads/compose_levels.hpp"

namespace harness {

namespace {

std::uint64_t call(const Source& source, std::uint64_t depth) {
  return floors::go_down_and_come_back<mix>(source.value, depth);
}

void run_calls(Port& port, const Cell& cell) {
  const auto depth = static_cast<unsigned>(cell.number("depth"));
  measure_depth(
      port, depth, [depth](const Source& source) { return call(source, depth); },
      [](const Source& source) { return call(source, 1); });
}

void run_loop(Port& port, const Cell& cell) {
  const auto depth = static_cast<unsigned>(cell.number("depth"));
  measure_depth(
      port, depth, [depth](const Source& source) { return mixed(source.value, depth); },
      [](const Source& source) { return mixed(source.value, 1); });
}

}  // namespace

std::vector<Subject> compose_floor_subjects() {
  return {{"compose", "floor-calls", &run_calls}, {"compose", "floor-loop", &run_loop}};
}

}  // namespace harness
