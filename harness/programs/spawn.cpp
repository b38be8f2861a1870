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

std::string objection(const Cell& cell) {
  if (cell.contender == "floor-allocate") {
    return cell.has("together") ? "the floor is of alive:N" : "";
  }
  if (cell.has("alive") == cell.has("together")) return "either alive:N or together:N";
  if (cell.contender == "threads" && cell.has("together")) {
    return "threads run before all are spawned: no together:N";
  }
  return {};
}

std::vector<Cell> cells(const Options& options) {
  std::vector<std::string> contenders;
  for (const auto& subject : subjects()) contenders.emplace_back(subject.contender);
  auto cells = cross("spawn", contenders, {"alive"}, options);
  std::ranges::move(cross("spawn", contenders, {"together"}, options), std::back_inserter(cells));
  return cells;
}

/// Tasks that are spawned together have yet to run and to end.
Row measure(const Cell& cell, const Options& options) {
  Row row = measure_in_subject(cell, options);
  if (cell.has("together")) row.speak_for("ns_per_create");
  return row;
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
                      .help = "parked tasks beside it"},
                     {.key = "together",
                      .minimum = 1,
                      .maximum = 10'000'000,
                      .help = "tasks spawned in a row, on a fresh heap and on a warm one"}},
      .questions = {{"spawn", "ns_per_spawn", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
