// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/stacks.hpp"

#include <algorithm>
#include <iterator>

#include "harness/floors/guarded_pages.hpp"
#include "harness/growing/subjects.hpp"
#include "harness/photograph.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

bool asks_for(const Options& options, std::string_view key, std::string_view value) {
  const auto& values = options.list(key);
  return std::find(values.begin(), values.end(), value) != values.end();
}

void append(std::vector<Cell>& cells, std::vector<Cell> more) {
  std::ranges::move(more, std::back_inserter(cells));
}

/// The map itself, size × depth, fresh; and painted, for the bytes used to the byte.
void add_map(std::vector<Cell>& cells, const Options& options) {
  if (asks_for(options, "use", "fresh") && asks_for(options, "high_water", "pages")) {
    append(cells, cross("stacks", {"fibers"}, {"stack", "depth"}, options));
  }
  if (!asks_for(options, "high_water", "painted")) return;
  for (const auto& cell : cross("stacks", {"fibers"}, {"stack", "depth"}, options)) {
    cells.push_back(cell.with("high_water", "painted"));
  }
}

/// What each guard costs, beside the bare guard and page.
void add_guards(std::vector<Cell>& cells, const Options& options) {
  for (const auto& stack : options.list("stack")) {
    for (const auto& guard : options.list("guard")) {
      cells.push_back({"stacks", "fibers", {{"stack", stack}, {"depth", "1"}, {"guard", guard}}});
      cells.push_back({"stacks", "floor-page", {{"stack", stack}, {"guard", guard}}});
    }
  }
}

/// Shallow tasks on stacks that were used deeply before; those of ten calls touch a second page.
void add_recycled(std::vector<Cell>& cells, const Options& options) {
  if (!asks_for(options, "use", "recycled")) return;
  for (const auto* depth : {"1", "10"}) {
    for (const auto& cell : cross("stacks", {"fibers"}, {"stack"}, options)) {
      for (const auto& pool : options.list("pool")) {
        cells.push_back(cell.with("depth", depth).with("use", "recycled").with("pool", pool));
      }
    }
  }
}

void add_overflows(std::vector<Cell>& cells, const Options& options) {
  for (const auto* contender : {"fibers", "boost-fibers", "threads"}) {
    append(cells, cross("stacks", {contender}, {"overflow", "stack"}, options));
  }
}

/// Stacks that need no size.
void add_growing(std::vector<Cell>& cells, const Options& options) {
  append(cells, cross("stacks", {"plain-stack", "split-stack"}, {"call"}, options));
  append(cells, cross("stacks", {"moved-stack"}, {"pointers"}, options));
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  add_map(cells, options);
  add_guards(cells, options);
  add_recycled(cells, options);
  add_overflows(cells, options);
  add_growing(cells, options);
  return cells;
}

/// The keys that mean something in a row, those that it cannot do without first.
struct Keys {
  std::vector<std::string_view> needed;
  std::vector<std::string_view> allowed{};
};

Keys keys_of(const Cell& cell) {
  if (cell.contender == "moved-stack") return {{"pointers"}};
  if (cell.contender.ends_with("-stack")) return {{"call"}};
  if (cell.contender == "floor-page") return {{"stack"}, {"guard"}};
  if (cell.has("overflow")) return {{"overflow", "stack"}};
  return {{"stack", "depth"}, {"guard", "use", "pool", "high_water"}};
}

std::string objection(const Cell& cell) {
  const Keys keys = keys_of(cell);
  for (const auto key : keys.needed) {
    if (!cell.has(key)) return "a row of this kind needs /" + std::string{key};
  }
  for (const auto& [key, value] : cell.parameters) {
    if (std::ranges::find(keys.needed, key) == keys.needed.end() &&
        std::ranges::find(keys.allowed, key) == keys.allowed.end()) {
      return key + " says nothing in this row";
    }
  }
  if (cell.has("pool") && cell.text("use") != "recycled") return "pool goes with use:recycled";
  return {};
}

Row measure_map(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Ledger ledger{1};
  photograph(ledger, child, "idle");
  child.go();
  photograph(ledger, child, "parked");
  child.go();
  auto results = child.finish();
  results.erase("heap_bytes");
  Row row;
  row.set_all(results);
  if (cell.text("high_water") == "painted") {
    row.speak_for("high_water_bytes");
  } else {
    ledger.post(row, true);
    const auto stacks = stacks_at_once(static_cast<std::size_t>(cell.number("stack")));
    if (stacks % stacks_mapped_at_once != 0) row.doubt("resolution", "virtual_bytes_per_task");
  }
  for (const auto& note : child.notes()) row.note(note);
  verdict::judge_batches(row, true);
  return row;
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.has("depth")) return measure_map(cell, options);
  Row row = measure_in_subject(cell, options);
  if (cell.has("overflow")) row.speak_for("overflow_depth");
  if (cell.has("call")) row.speak_for("ns_per_call");
  if (cell.has("pointers")) row.speak_for("stale_pointers");
  return row;
}

std::vector<Subject> subjects() {
  auto subjects = stack_subjects();
  std::ranges::copy(floors::page_subjects(), std::back_inserter(subjects));
  std::ranges::copy(growing::growing_subjects(), std::back_inserter(subjects));
  return subjects;
}

}  // namespace

Program stacks_program() {
  return {
      .name = "bench-stacks",
      .summary = "What a private stack holds and costs, by its size and the depth of calls on it.",
      .parameters = {{.key = "stack",
                      .defaults = {"16384", "65536", "1048576"},
                      .minimum = 16'384,
                      .maximum = std::uint64_t{1} << 28,
                      .help = "usable bytes of each stack"},
                     {.key = "depth",
                      .defaults = {"1", "10", "100", "1000"},
                      .minimum = 1,
                      .maximum = most_calls,
                      .help = "calls of 256 bytes each that a task waits below"},
                     {.key = "guard",
                      .defaults = {"none", "mprotect", "madvise"},
                      .words = {"none", "mprotect", "madvise"},
                      .help = "what lies beneath each stack"},
                     {.key = "use",
                      .defaults = {"fresh", "recycled"},
                      .words = {"fresh", "recycled"},
                      .help = "whether others have used the stacks before, and deeply"},
                     {.key = "pool",
                      .defaults = {"keep", "trim"},
                      .words = {"keep", "trim"},
                      .help = "what becomes of the pages of an ended task"},
                     {.key = "high_water",
                      .defaults = {"pages", "painted"},
                      .words = {"pages", "painted"},
                      .help = "how the used bytes are known"},
                     {.key = "overflow",
                      .defaults = {"none", "mprotect", "madvise"},
                      .words = {"none", "mprotect", "madvise"},
                      .help = "the guard that a task's calls run into"},
                     {.key = "call",
                      .defaults = {"near", "edge", "foreign"},
                      .words = {"near", "edge", "foreign"},
                      .help = "a call within a segment, over its edge, of code without checks"},
                     {.key = "pointers",
                      .defaults = {"raw", "relative"},
                      .words = {"raw", "relative"},
                      .help = "how the frames of a moved stack lead to each other"}},
      .questions = {{"stacks", "ns_per_create", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
      .measure_for = std::chrono::duration<double>{0.3},
  };
}

}  // namespace harness
