// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timers.hpp"

#include <optional>

#include "harness/floors/pacing.hpp"
#include "harness/floors/timer_peers.hpp"
#include "harness/histogram_files.hpp"
#include "harness/lateness.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/saturation.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

constexpr std::string_view pacing = "floor-pacing";

std::vector<Subject> subjects() {
  std::vector<Subject> all = timers_subjects();
  all.push_back(floors::heap_timers());
  all.push_back(floors::thread_per_timer());
  all.push_back(floors::pacing("timers"));
  return all;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> all{{"timers", std::string{pacing}, {}}};
  for (const auto& subject : subjects()) {
    const std::string contender{subject.contender};
    if (contender == pacing) continue;
    for (const auto kind : {"period_us", "oneshot_us"}) {
      const auto some = cross("timers", {contender}, {"tasks", kind}, options);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

std::string objection(const Cell& cell) {
  const bool one_kind = cell.has("period_us") != cell.has("oneshot_us");
  if (cell.contender == pacing || (cell.has("tasks") && one_kind)) return {};
  return "a row of timers has tasks, and either period_us or oneshot_us";
}

Row spinner_row(const Results& results) {
  Row row;
  row.set_all(results);
  verdict::judge_batches(row, true);
  return row;
}

/// What the other spinner saw goes beside, under names of its own.
void set_load_cpu(Row& row, const Row& beside) {
  for (const auto& [counter, value] : beside.counters()) {
    if (!verdict::is_lateness(counter)) continue;
    const std::string name = "load_cpu_" + counter;
    row.set(name, value);
    if (beside.doubted(counter)) row.doubt("noisy", name);
  }
}

/// Spinners on both CPUs at once: a pair's client suffers from the machine as its server does.
Row measure_pacing(const Cell& cell, const Options& options) {
  std::optional<Child> beside;
  if (options.load_cpu != options.subject_cpu) {
    beside.emplace(cell, options, std::vector{options.load_cpu});
  }
  Child child{cell, options};
  Results results = child.finish();
  NamedHistograms histograms{{"lateness_ns", take_lateness(results)}};
  Row row = spinner_row(results);
  if (beside) {
    Results others = beside->finish();
    histograms.emplace_back("load_cpu_lateness_ns", take_lateness(others));
    set_load_cpu(row, spinner_row(others));
  }
  keep_histograms(histograms, cell, options);
  return row;
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.contender == pacing) return measure_pacing(cell, options);
  Child child{cell, options};
  Results results = child.finish();
  keep_histograms({{"lateness_ns", take_lateness(results)}}, cell, options);
  Row row;
  row.set_all(results);
  verdict::judge_saturation(row);
  verdict::judge_others(row, &verdict::is_lateness);  // it is not the contender's then
  return row;
}

}  // namespace

Program timers_program() {
  return {
      .name = "bench-timers",
      .summary = "How late timers fire, and what they cost, by their number.",
      .parameters = {{.key = "tasks",
                      .defaults = {"1000", "100000", "1000000"},
                      .minimum = 1,
                      .maximum = 10'000'000,
                      .help = "tasks, one timer each"},
                     {.key = "period_us",
                      .defaults = {"1000000"},
                      .minimum = 1,
                      .maximum = 3'600'000'000,
                      .help = "microseconds from one wake-up of a task to its next"},
                     {.key = "oneshot_us",
                      .defaults = {"1000000"},
                      .minimum = 1,
                      .maximum = 3'600'000'000,
                      .help = "microseconds over which single wake-ups are spread"}},
      .questions = {{"timers", "lateness_p99_ns", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
