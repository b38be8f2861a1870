// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/compose.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/floors/compose.hpp"
#include "harness/programs/about.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"
#include "harness/workloads/composition.hpp"

namespace harness {

namespace {

constexpr About abouts[] = {{"depth", "ns_per_op"},
                            {"suspensions", "ns_per_suspension"},
                            {"before", "effects_before_poll"},
                            {"waits", "elapsed_vs_longest"},
                            {"place", "stale_reads_per_op"},
                            {"memory", "ns_per_op"}};

bool has_rows(std::string_view contender, std::string_view key) {
  if (contender.starts_with("floor-")) return key == "depth";
  return contender == "futures" || (key != "place" && key != "memory");
}

std::vector<Subject> subjects() {
  auto subjects = compose_subjects();
  std::ranges::copy(compose_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& [key, primary] : abouts) {
    for (const auto& subject : subjects()) {
      if (!has_rows(subject.contender, key)) continue;
      std::ranges::copy(cross("compose", {std::string{subject.contender}}, {key}, options),
                        std::back_inserter(cells));
    }
  }
  return cells;
}

std::string objection(const Cell& cell) {
  const About* const what = about(abouts, cell);
  if (what == nullptr) {
    return "a row is about one of depth, suspensions, before, waits, place, memory";
  }
  if (has_rows(cell.contender, what->key)) return {};
  return fmt::format("{} has no row about {}", cell.contender, what->key);
}

/// A level is what compares: a continuation needs a queue to run from, so that an operation of
/// callbacks is a task, spawned and run, where a future is polled and a function called.
void speak_of_a_level(Row& row, const Cell& cell) {
  if (cell.contender == "callbacks") row.note("ns_per_op is of a task, spawned and run");
  if (!row.get("ns_per_level")) return;
  row.speak_for("ns_per_level");
  if (row.doubted("ns_per_op")) row.doubt("noisy", "ns_per_level");
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Row row;
  row.set_all(child.finish());
  verdict::judge_batches(row, !cell.has("waits"));  // who waits leaves the CPU
  row.speak_for(about(abouts, cell)->primary);
  if (cell.has("depth")) speak_of_a_level(row, cell);
  return row;
}

std::vector<std::string> depth_words() {
  std::vector<std::string> words;
  words.reserve(depths.size());
  for (const unsigned depth : depths) words.push_back(std::to_string(depth));
  return words;
}

}  // namespace

Program compose_program() {
  return {
      .name = "bench-compose",
      .summary = "What it costs to make one task of many parts, and to wait inside it.",
      .parameters = {{.key = "depth",
                      .defaults = depth_words(),
                      .words = depth_words(),
                      .help = "levels around a value"},
                     {.key = "suspensions",
                      .defaults = {"10", "1000"},
                      .minimum = 1,
                      .maximum = 1'000'000,
                      .help = "of each of two tasks, in its life"},
                     {.key = "before",
                      .defaults = {"poll"},
                      .words = {"poll"},
                      .help = "what has happened when nobody has polled yet"},
                     {.key = "waits",
                      .defaults = {"sequence", "join"},
                      .words = {"sequence", "join"},
                      .help = "four sleeps, one after the other or together"},
                     {.key = "place",
                      .defaults = {"kept", "moved"},
                      .words = {"kept", "moved"},
                      .help = "of a state that refers to itself, once it has been polled"},
                     {.key = "memory",
                      .defaults = {"arena"},
                      .words = {"arena"},
                      .help = "all there is: a static arena, no allocator"}},
      .questions = {{"compose", "ns_per_op", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
