// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/compose.hpp"

#include "harness/workloads/compose_levels.hpp"

namespace harness {

namespace {

/// The empty statement keeps each level a call: to the compiler the recursion might be a loop.
[[gnu::noinline]] std::uint64_t call(const Source& source, unsigned depth) {
  std::uint64_t below = depth == 1 ? source.value : call(source, depth - 1);
  asm volatile("" : "+r"(below));
  return mix(below);
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
