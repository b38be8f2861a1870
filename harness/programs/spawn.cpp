// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/spawn.hpp"

#include <algorithm>
#include <iterator>

#include "harness/floors/switch.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

std::vector<Subject> subjects() {
  auto subjects = spawn_subjects();
  std::ranges::copy(spawn_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<std::string> contenders;
  for (const auto& subject : subjects()) contenders.emplace_back(subject.contender);
  return cross("spawn", contenders, {"alive"}, options);
}

}  // namespace

Program spawn_program() {
  return {
      .name = "bench-spawn",
      .summary =
          "What a task's whole life costs: spawned, run once, ended; by tasks alive beside it.",
      .parameters = {{.key = "alive",
                      .defaults = {"1", "10000"},
                      .minimum = 1,
                      .maximum = 10'000'000,
                      .help = "parked tasks beside it"}},
      .questions = {{"spawn", "ns_per_spawn", &cells, &measure_in_subject, {"alive"}}},
      .subjects = subjects(),
  };
}

}  // namespace harness
