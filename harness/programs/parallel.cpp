// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/parallel.hpp"

#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

/// Whether this contender's tasks could be stolen at all: the kernel deals threads, and Boost.Fiber
/// is one worker here.
bool knows_stealing(std::string_view contender) {
  return contender != "threads" && contender != "boost-fibers";
}

/// Two workers, of which one can steal from the other.
void add_turns(std::vector<Cell>& cells, const Cell& of, const Options& options) {
  if (of.contender != "fibers" || of.number("workers") != 2) return;
  for (const auto& load : options.list("load")) {
    for (const auto& turns : options.list("turns")) {
      cells.push_back(
          {of.question,
           of.contender,
           {{"work", "turns"}, {"load", load}, {"turns", turns}, {"tasks", of.text("tasks")}}});
    }
  }
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& subject : parallel_subjects()) {
    for (const auto& cell : cross("parallel", {std::string{subject.contender}},
                                  {"work", "workers", "tasks"}, options)) {
      if (cell.text("work") == "burst") {
        cells.push_back(cell);
        if (cell.number("workers") > 1 && knows_stealing(cell.contender)) {
          cells.push_back(cell.with("stealing", "off"));
        }
      } else if (cell.text("work") == "turns") {
        add_turns(cells, cell, options);
      } else if (cell.number("workers") == 1) {
        cells.push_back(
            {cell.question, cell.contender, {{"work", "sleep"}, {"tasks", cell.text("tasks")}}});
      }
    }
  }
  return cells;
}

std::string objection_to_turns(const Cell& cell) {
  if (cell.contender != "fibers") return "only fibers can move once they have begun";
  if (!cell.has("load") || !cell.has("turns")) return "work:turns needs /load and /turns";
  if (!cell.has("workers") && !cell.has("stealing")) return {};
  return "two workers, stealing and not, are in each row of work:turns";
}

std::string objection(const Cell& cell) {
  if (cell.text("work") == "turns") return objection_to_turns(cell);
  if (cell.has("load") || cell.has("turns")) return "load and turns go with work:turns";
  if (cell.text("work") == "sleep") {
    if (!cell.has("workers") && !cell.has("stealing")) return {};
    return "sleeps overlap on one worker: no workers, no stealing with work:sleep";
  }
  if (!cell.has("workers")) return "a row of bursts says how many workers";
  if (!cell.has("stealing")) return {};
  if (cell.number("workers") == 1) return "one worker has nobody to steal from";
  if (knows_stealing(cell.contender)) return {};
  return cell.contender + " have no workers that could steal";
}

Row measure(const Cell& cell, const Options& options) {
  std::vector<int> cpus{options.subject_cpu};
  if (cell.text("work") == "turns" || cell.number("workers", 1) > 1) {
    if (options.subject_cpu == options.load_cpu) {
      throw Failure{"refused: two CPUs are needed, --subject-cpu and --load-cpu are one"};
    }
    cpus.push_back(options.load_cpu);
  }
  Child child{cell, options, cpus};
  Row row;
  row.set_all(child.finish());
  verdict::judge_batches(row, false);
  verdict::judge_others(row);
  return row;
}

}  // namespace

Program parallel_program() {
  return {
      .name = "bench-parallel",
      .summary = "Which work overlaps on one worker, and which takes a second one.",
      .parameters = {{.key = "work",
                      .defaults = {"burst", "sleep", "turns"},
                      .words = {"burst", "sleep", "turns"},
                      .help = "what the tasks do: compute 20 ms among them (in turns, fibers "
                              "that may be stolen), or sleep 20 ms each"},
                     {.key = "workers",
                      .defaults = {"1", "2"},
                      .minimum = 1,
                      .maximum = 2,
                      .help = "workers, or CPUs for threads"},
                     {.key = "tasks",
                      .defaults = {"2", "64"},
                      .minimum = 1,
                      .maximum = 100'000,
                      .help = "tasks, all spawned by one"},
                     {.key = "stealing",
                      .defaults = {"on"},
                      .words = {"on", "off"},
                      .help = "whether an idle worker takes tasks from the other"},
                     {.key = "load",
                      .defaults = {"even", "skewed"},
                      .words = {"even", "skewed"},
                      .help = "with work:turns, whether one worker is dealt three times as much"},
                     {.key = "turns",
                      .defaults = {"64"},
                      .minimum = 1,
                      .maximum = 10'000,
                      .help = "with work:turns, turns of a fiber, with a yield in between"}},
      .questions =
          {{"parallel", "elapsed_vs_one", &cells, &measure, {"work", "tasks"}, &objection}},
      .subjects = parallel_subjects(),
  };
}

}  // namespace harness
