// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/blocking.hpp"

#include <algorithm>
#include <iterator>

#include "harness/floors/pacing.hpp"
#include "harness/histogram_files.hpp"
#include "harness/lateness.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

constexpr std::string_view pacing = "floor-pacing";

std::vector<Subject> subjects() {
  auto subjects = blocking_subjects();
  subjects.push_back(floors::pacing("blocking"));
  return subjects;
}

bool has_pool(std::string_view contender) {
  return contender == "futures" || contender == "coroutines";
}

std::string objection(const Cell& cell) {
  if (cell.contender == pacing) {
    return cell.has("disturber") || cell.has("tasks") ? "the floor has no tasks" : "";
  }
  if (cell.text("disturber") != "pool" || has_pool(cell.contender)) return {};
  return cell.contender + " have no blocking pool";
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells{{"blocking", std::string{pacing}, {}}};
  for (const auto& subject : blocking_subjects()) {
    std::ranges::move(
        cross("blocking", {std::string{subject.contender}}, {"disturber", "tasks"}, options),
        std::back_inserter(cells));
  }
  return cells;
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Results results = child.finish();
  keep_histograms({{"lateness_ns", take_lateness(results)}}, cell, options);
  Row row;
  row.set_all(results);
  if (cell.contender == pacing) {
    verdict::judge_batches(row, true);
  } else {
    verdict::judge_others(row, &verdict::is_lateness);
  }
  return row;
}

}  // namespace

Program blocking_program() {
  return {
      .name = "bench-blocking",
      .summary = "What one task that blocks, or computes, does to the others on its worker.",
      .parameters = {{.key = "disturber",
                      .defaults = {"none", "call", "pool", "hog"},
                      .words = {"none", "call", "pool", "hog"},
                      .help = "one task more: a blocking call of 10 ms in it or in a pool, or it "
                              "computes in stretches of 10 ms"},
                     {.key = "tasks",
                      .defaults = {"100"},
                      .minimum = 1,
                      .maximum = 100'000,
                      .help = "tasks that wake every 5 ms"}},
      .questions =
          {{"blocking", "lateness_p99_ns", &cells, &measure, {"disturber", "tasks"}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
