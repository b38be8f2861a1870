// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/switch.hpp"

#include <algorithm>
#include <iterator>

#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"
#include "harness/workloads/baton.hpp"

namespace harness {

namespace {

bool asks_for(const Options& options, std::string_view key, std::string_view value) {
  const auto& values = options.list(key);
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Contenders × tasks, by event and by yield.
void add_contenders(std::vector<Cell>& cells, const Options& options) {
  for (const auto& subject : baton_subjects()) {
    for (const auto& cell : cross("switch", {std::string{subject.contender}}, {"tasks"}, options)) {
      for (const auto& via : options.list("via")) {
        cells.push_back(via == "event" ? cell : cell.with("via", via));
      }
    }
  }
}

/// Four know live tasks; the others are what a kernel does at least.
void add_floors(std::vector<Cell>& cells, const Options& options) {
  for (auto& cell :
       cross("switch", {"floor-inline", "floor-context", "floor-poll", "floor-poll-waker"},
             {"tasks"}, options)) {
    cells.push_back(std::move(cell));
  }
  for (const auto* floor : {"floor-syscall", "floor-futex", "floor-yield"}) {
    cells.push_back({"switch", floor, {}});
  }
}

/// What the colours of stacks are worth, with as many stacks as there are tasks.
void add_without_colours(std::vector<Cell>& cells, const Options& options) {
  for (const auto& cell : cross("switch", {"fibers", "boost-fibers"}, {"tasks"}, options)) {
    cells.push_back(cell.with("colour", "off"));
  }
}

/// Between CPUs only threads can hand over, with one partner each.
void add_between_cpus(std::vector<Cell>& cells) {
  cells.push_back({"switch", "threads", {{"tasks", "2"}, {"cpus", "2"}}});
  cells.push_back({"switch", "floor-futex", {{"cpus", "2"}}});
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  if (asks_for(options, "cpus", "1")) {
    if (asks_for(options, "colour", "on")) add_contenders(cells, options);
    if (asks_for(options, "colour", "off")) add_without_colours(cells, options);
    add_floors(cells, options);
  }
  if (asks_for(options, "cpus", "2")) add_between_cpus(cells);
  return cells;
}

std::string objection(const Cell& cell) {
  if (cell.has("colour") && cell.contender.starts_with("floor-"))
    return "floors have one colouring";
  if (cell.number("cpus", 1) == 1 || cell.text("via") != "yield") return {};
  return "a yield hands over on its own CPU: no via:yield with cpus:2";
}

std::vector<Subject> subjects() {
  auto subjects = baton_subjects();
  std::ranges::copy(switch_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.number("cpus", 1) == 1) return measure_in_subject(cell, options);
  if (options.subject_cpu == options.load_cpu) {
    throw Failure{"refused: two CPUs are needed, --subject-cpu and --load-cpu are one"};
  }
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
                      .help = "CPUs that neighbours are spread over"},
                     {.key = "colour",
                      .defaults = {"on", "off"},
                      .words = {"on", "off"},
                      .help = "whether fibers' stacks start in different cache sets"}},
      .questions = {{"switch", "ns_per_switch", &cells, &measure, {"tasks"}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
