// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/depth.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "harness/floors/switch.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

std::vector<Subject> subjects() {
  auto subjects = depth_subjects();
  std::ranges::copy(depth_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<std::string> contenders;
  for (const auto& subject : subjects()) contenders.emplace_back(subject.contender);
  return cross("depth", contenders, {"levels"}, options);
}

}  // namespace

Program depth_program() {
  return {
      .name = "bench-depth",
      .summary = "What suspending and going on costs, by the depth of the calls it happens in.",
      .parameters = {{.key = "levels",
                      .defaults = {"1", "10", "100", "1000"},
                      .minimum = 1,
                      .maximum = deepest_level,
                      .help = "calls between the task and its suspension"}},
      .questions = {{"depth", "ns_per_switch", &cells, &measure_in_subject, {"levels"}}},
      .subjects = subjects(),
  };
}

}  // namespace harness
