// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/memory.hpp"

#include <algorithm>
#include <iterator>

#include "harness/ledger.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/snapshot.hpp"

namespace harness {

namespace {

constexpr int quarters = 4;

/// All contenders at a number that threads reach, and each at its own order of magnitude.
std::vector<std::string> default_tasks(std::string_view contender) {
  if (contender == "threads") return {"10000"};
  if (contender == "fibers" || contender == "boost-fibers") return {"10000", "100000"};
  return {"10000", "1000000"};
}

/// The values given for a parameter, or one that says "leave it out of the name".
std::vector<std::string> or_absent(const std::vector<std::string>& values) {
  return values.empty() ? std::vector<std::string>{""} : values;
}

Cell with_if(const Cell& cell, std::string_view key, const std::string& value) {
  return value.empty() ? cell : cell.with(key, value);
}

std::vector<Cell> sleeping_cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& subject : sleeping_subjects()) {
    const Cell plain{"memory", std::string{subject.contender}, {{"state", "sleeping"}}};
    const auto& given = options.list("tasks");
    for (const auto& tasks : given.empty() ? default_tasks(subject.contender) : given) {
      for (const auto& stack : or_absent(options.list("stack"))) {
        for (const auto& guard : or_absent(options.list("guard"))) {
          const Cell sized = with_if(plain.with("tasks", tasks), "stack", stack);
          cells.push_back(with_if(sized, "guard", guard));
        }
      }
    }
  }
  return cells;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  const auto& states = options.list("state");
  if (std::find(states.begin(), states.end(), "sleeping") != states.end()) {
    std::ranges::move(sleeping_cells(options), std::back_inserter(cells));
  }
  return cells;
}

void photograph(Ledger& ledger, Child& child, std::string_view mark) {
  const std::uint64_t tasks = child.await_mark(mark);
  const auto heap = child.results().find("heap_bytes");
  ledger.enter(tasks, Snapshot::of(child.process()),
               heap == child.results().end() ? std::nullopt : std::optional{heap->second.front()});
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Ledger ledger;
  photograph(ledger, child, "idle");
  for (int quarter = 0; quarter < quarters; ++quarter) {
    child.go();
    photograph(ledger, child, "parked");
  }
  child.go();
  auto results = child.finish();
  Row row;
  ledger.post(row, results["own_stacks"] == std::vector{1.0});
  row.set_batches("create_ns_per_task", results["create_ns_per_task"]);
  for (const auto& note : child.notes()) row.note(note);
  return row;
}

}  // namespace

Program memory_program() {
  return {
      .name = "bench-memory",
      .summary = "What a waiting task occupies, by kind of memory, and what making it takes.",
      .parameters =
          {{.key = "state",
            .defaults = {"sleeping"},
            .words = {"sleeping"},
            .help = "what the tasks wait for"},
           {.key = "tasks",
            .minimum = 4,
            .maximum = 100'000'000,
            .help =
                "tasks at the last mark (default: 10000; fibers 100000 and futures 1000000, too)"},
           {.key = "stack",
            .minimum = 16'384,
            .maximum = std::uint64_t{1} << 30,
            .help = "bytes of each stack, for contenders that have stacks"},
           {.key = "guard",
            .words = {"none", "mprotect", "madvise"},
            .help = "what lies beneath each stack"}},
      .questions = {{"memory", "user_bytes_per_task", &cells, &measure}},
      .subjects = sleeping_subjects(),
  };
}

}  // namespace harness
