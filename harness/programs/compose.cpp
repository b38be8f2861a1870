// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/compose.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/floors/compose.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"
#include "harness/workloads/composition.hpp"

namespace harness {

namespace {

/// What a cell is about, and the counter that its `valid` speaks of. Exactly one a cell.
struct About {
  std::string_view key;
  std::string_view primary;
  bool futures_only;
};
constexpr About abouts[] = {{"depth", "ns_per_op", false},
                            {"suspensions", "ns_per_suspension", false},
                            {"before", "effects_before_poll", false},
                            {"waits", "elapsed_vs_longest", false},
                            {"place", "stale_reads_per_op", true},
                            {"memory", "ns_per_op", true}};

const About& about(const Cell& cell) {
  return *std::ranges::find_if(abouts, [&](const About& each) { return cell.has(each.key); });
}

bool is_floor(std::string_view contender) {
  return contender.starts_with("floor-");
}

std::vector<Subject> subjects() {
  auto subjects = compose_subjects();
  std::ranges::copy(compose_floor_subjects(), std::back_inserter(subjects));
  return subjects;
}

bool goes_with(std::string_view contender, const About& what) {
  if (is_floor(contender)) return what.key == "depth";
  return !what.futures_only || contender == "futures";
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& what : abouts) {
    for (const auto& subject : subjects()) {
      if (!goes_with(subject.contender, what)) continue;
      std::ranges::copy(cross("compose", {std::string{subject.contender}}, {what.key}, options),
                        std::back_inserter(cells));
    }
  }
  return cells;
}

std::string objection(const Cell& cell) {
  if (cell.parameters.size() != 1) {
    return "a row is about one of depth, suspensions, before, waits, place, memory";
  }
  if (goes_with(cell.contender, about(cell))) return {};
  return fmt::format("{} have no row about {}", cell.contender, about(cell).key);
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Row row;
  row.set_all(child.finish());
  verdict::judge_batches(row, !cell.has("waits"));  // who waits leaves the CPU
  row.speak_for(about(cell).primary);
  return row;
}

std::vector<std::string> depth_words() {
  std::vector<std::string> words;
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
