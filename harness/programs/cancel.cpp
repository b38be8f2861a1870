// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/cancel.hpp"

#include <algorithm>
#include <iterator>

#include "harness/floors/cancel.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

std::vector<Subject> subjects() {
  auto subjects = cancel_subjects();
  std::ranges::copy(cancel_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

/// Whether this contender has such a thing to take back.
bool goes_with(std::string_view contender, std::string_view what) {
  if (contender == "floor-epoll") return what == "read";
  if (contender == "floor-wheel" || contender == "peer-heap") return what == "timer";
  return what != "timer" || contender == "futures" || contender == "coroutines";
}

bool can_lack_token(const Cell& cell) {
  return cell.contender == "callbacks" && cell.text("what") == "sleep";
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& subject : subjects()) {
    for (const auto& cell :
         cross("cancel", {std::string{subject.contender}}, {"what", "tasks"}, options)) {
      if (!goes_with(cell.contender, cell.text("what"))) continue;
      cells.push_back(cell);
      if (can_lack_token(cell)) cells.push_back(cell.with("token", "none"));
    }
  }
  return cells;
}

std::string objection(const Cell& cell) {
  if (!cell.has("what") || !cell.has("tasks"))
    return "a row says what is cancelled, and of how many";
  if (cell.has("token") && !can_lack_token(cell))
    return "only sleeping callbacks take a token or none";
  if (goes_with(cell.contender, cell.text("what"))) return {};
  return cell.contender + " have no " + cell.text("what") + " of their own to cancel";
}

Row measure(const Cell& cell, const Options& options) {
  Row row = measure_in_subject(cell, options);
  if (cell.text("token") == "none") row.speak_for("left_per_task");
  return row;
}

}  // namespace

Program cancel_program() {
  return {
      .name = "bench-cancel",
      .summary = "What it takes to call off a task that waits, until all it held is back.",
      .parameters = {{.key = "what",
                      .defaults = {"read", "sleep", "timer"},
                      .words = {"read", "sleep", "timer"},
                      .help = "a task in a read, a task that sleeps, or a time-out alone"},
                     {.key = "tasks",
                      .defaults = {"1000"},
                      .minimum = 1,
                      .maximum = 10'000'000,
                      .help = "how many wait"},
                     {.key = "token",
                      .defaults = {"given"},
                      .words = {"given", "none"},
                      .help = "of a callback: without one, its promise is dropped"}},
      .questions = {{"cancel", "ns_per_cancel", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
