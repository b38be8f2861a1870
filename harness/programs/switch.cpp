// SPDX-License-Identifier: BSL-1.0
#include <algorithm>

#include "harness/limits.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"
#include "harness/workloads/baton.hpp"

namespace harness {

namespace {

/// Contenders × tasks, by event and by yield; between CPUs only threads with one partner each.
std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& subject : baton_subjects()) {
    for (const auto& cell : cross("switch", {std::string{subject.contender}}, {"tasks"}, options)) {
      for (const auto& via : options.list("via")) {
        cells.push_back(via == "event" ? cell : cell.with("via", via));
      }
    }
  }
  const auto& cpus = options.list("cpus");
  if (std::find(cpus.begin(), cpus.end(), "1") == cpus.end()) cells.clear();
  if (std::find(cpus.begin(), cpus.end(), "2") != cpus.end()) {
    cells.push_back({"switch", "threads", {{"tasks", "2"}, {"cpus", "2"}}});
  }
  return cells;
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.number("cpus", 1) == 1) return measure_in_subject(cell, options);
  if (options.subject_cpu == options.load_cpu) throw Failure{refusal("cpus", 1, 1)};
  Child child{cell, options, {options.load_cpu, options.subject_cpu}};
  Row row;
  row.set_all(child.finish());
  verdict::judge_batches(row, false);
  return row;
}

}  // namespace

Program switch_program() {
  return {
      .name = "bench-switch",
      .summary = "What a hand-over from one task to the next costs, by live tasks.",
      .parameters = {{.key = "tasks",
                      .defaults = {"2", "1000", "30000"},
                      .minimum = 2,
                      .maximum = 10'000'000,
                      .help = "live tasks in the ring"},
                     {.key = "via",
                      .defaults = {"event", "yield"},
                      .words = {"event", "yield"},
                      .help = "how a task lets the next one go"},
                     {.key = "cpus",
                      .defaults = {"1", "2"},
                      .minimum = 1,
                      .maximum = 2,
                      .help = "CPUs that neighbours are spread over"}},
      .questions = {{"switch", "ns_per_switch", &cells, &measure}},
      .subjects = baton_subjects(),
  };
}

}  // namespace harness
