// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "harness/floors/eventfd_wake.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

constexpr std::string_view floor_name = "floor-eventfd";
/// One of them says what a row asks.
constexpr std::array<std::string_view, 4> ways{"from", "spurious", "wait", "rule"};

/// What a row without wakes that are timed speaks of.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> rule_counters{
    {{"order", "wakes_lost"},
     {"stuck", "stuck_found"},
     {"stale", "stale_wakes_lost"},
     {"over", "refused_polls"}}};

bool is_polled(std::string_view contender) {
  return contender == "futures" || contender == "coroutines";
}

std::string objection(const Cell& cell) {
  const auto asked = std::ranges::count_if(ways, [&](auto way) { return cell.has(way); });
  if (asked != 1) return "a row asks one thing: from, spurious, wait or rule";
  if (cell.contender == floor_name && !cell.has("from")) return "the floor is of from:thread";
  if ((cell.has("spurious") || cell.has("rule")) && !is_polled(cell.contender)) {
    return fmt::format("{} are not polled: no spurious, no rule", cell.contender);
  }
  return {};
}

std::vector<Subject> subjects() {
  auto subjects = wake_subjects();
  subjects.push_back(floors::eventfd_wake());
  return subjects;
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto way : ways) {
    for (const auto& subject : subjects()) {
      std::ranges::move(cross("wake", {std::string{subject.contender}}, {way}, options),
                        std::back_inserter(cells));
    }
  }
  return cells;
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// The subject has both CPUs, one for who wakes and one for who is woken.
Row measure_from_thread(const Cell& cell, const Options& options) {
  if (options.subject_cpu == options.load_cpu) {
    throw Failure{"refused: two CPUs are needed, --subject-cpu and --load-cpu are one"};
  }
  Child child{cell, options, {options.load_cpu, options.subject_cpu}};
  const auto results = child.finish();
  Row row;
  row.set_all(results);
  if (const auto wakes = results.find("ns_per_wake"); wakes != results.end()) {
    row.set("p99_ns", percentile(wakes->second, 0.99));
  }
  verdict::judge_batches(row, false);
  // One call to wake and one to sleep; with less somebody was awake already.
  if (row.get("syscalls_per_wake").value_or(2) < 1.9) row.doubt("noisy", "ns_per_wake");
  return row;
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.has("from")) return measure_from_thread(cell, options);
  Row row = measure_in_subject(cell, options);
  if (cell.has("wait")) {
    row.speak_for("cpu_share");
    // Whoever never lets go of its CPU had a share of it only.
    const bool shared = row.get("others_cpu_share").value_or(0) > 0.1;
    if (shared && cell.text("wait") == "busy") row.doubt("noisy", "cpu_share");
  }
  for (const auto& [rule, counter] : rule_counters) {
    if (cell.text("rule") == rule) row.speak_for(counter);
  }
  return row;
}

}  // namespace

Program wake_program() {
  return {
      .name = "bench-wake",
      .summary =
          "What a wake-up costs, from afar or for nothing, and what the rules of waking catch.",
      .parameters = {{.key = "from",
                      .defaults = {"thread"},
                      .words = {"thread"},
                      .help = "who wakes: a thread on another CPU"},
                     {.key = "spurious",
                      .defaults = {"0", "1", "8"},
                      .maximum = 1'000'000,
                      .help = "wakes for nothing before each that is none"},
                     {.key = "wait",
                      .defaults = {"parked", "busy"},
                      .words = {"parked", "busy"},
                      .help = "how a task waits"},
                     {.key = "rule",
                      .defaults = {"order", "stuck", "stale", "over"},
                      .words = {"order", "stuck", "stale", "over"},
                      .help = "which rule between a future and its executor"}},
      .questions = {{"wake", "ns_per_wake", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
  };
}

}  // namespace harness
