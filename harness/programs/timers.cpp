// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timers.hpp"

#include "harness/floors/pacing.hpp"
#include "harness/floors/timer_peers.hpp"
#include "harness/lateness.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

constexpr double most_missed = 0.01;  // of the planned

std::vector<Subject> subjects() {
  std::vector<Subject> all = timers_subjects();
  all.push_back(floors::heap_timers());
  all.push_back(floors::thread_per_timer());
  all.push_back(floors::pacing());
  return all;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> all{{"timers", "floor-pacing", {}}};
  for (const auto& subject : subjects()) {
    const std::string contender{subject.contender};
    if (contender == "floor-pacing") continue;
    for (const auto kind : {"period_us", "oneshot_us"}) {
      const auto some = cross("timers", {contender}, {"tasks", kind}, options);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

/// More missed than a few: what was on time at all is no longer a fair sample.
void judge_missed(Row& row) {
  const double missed = row.get("missed").value_or(0);
  if (missed <= most_missed * row.get("planned").value_or(0)) return;
  for (const auto& [counter, value] : row.counters()) {
    if (counter.starts_with("lateness_")) row.doubt("saturated", counter);
  }
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Results results = child.finish();
  keep_lateness(results, cell, options);
  Row row;
  row.set_all(results);
  const bool spins = cell.contender == "floor-pacing";
  if (spins) {
    verdict::judge_batches(row, true);
  } else {
    judge_missed(row);
  }
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
      .questions = {{"timers", "lateness_p99_ns", &cells, &measure}},
      .subjects = subjects(),
  };
}

}  // namespace harness
