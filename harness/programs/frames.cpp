// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/frames.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>

#include "harness/compilation.hpp"
#include "harness/programs/about.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

constexpr About abouts[] = {
    {"shape", "kept_bytes"}, {"tasks", "worker_stack_bytes"}, {"nesting", "state_bytes"}};

bool has_rows(std::string_view contender, std::string_view key) {
  return contender != "floor-calls" || key == "nesting";
}

/// Whether the figures are one compiler's, and at one of its levels of optimisation.
bool is_compiled(std::string_view contender, std::string_view key) {
  return key == "nesting" || (key == "shape" && contender == "coroutines");
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& [key, primary] : abouts) {
    for (const auto& subject : frames_subjects()) {
      if (!has_rows(subject.contender, key)) continue;
      const std::vector<std::string> contender{std::string{subject.contender}};
      std::ranges::copy(is_compiled(subject.contender, key)
                            ? cross("frames", contender, {key, "compiler", "optimise"}, options)
                            : cross("frames", contender, {key}, options),
                        std::back_inserter(cells));
    }
  }
  return cells;
}

std::string objection(const Cell& cell) {
  const About* const what = about(abouts, cell);
  if (what == nullptr) return "a row is about one of shape, tasks, nesting";
  if (!has_rows(cell.contender, what->key)) {
    return fmt::format("{} has no row about {}", cell.contender, what->key);
  }
  const bool compiled = is_compiled(cell.contender, what->key);
  if (cell.has("compiler") == compiled && cell.has("optimise") == compiled) return {};
  return compiled ? "it needs /compiler:… and /optimise:…" : "no compiler changes it";
}

/// Compilers that are killed leave files behind: for a while, all that this program starts puts its
/// temporary files into a folder that goes.
class TemporaryFiles {
 public:
  TemporaryFiles() {
    if (const char* const before = std::getenv(variable)) before_ = before;
    setenv(variable, folder_.path().c_str(), 1);
  }
  ~TemporaryFiles() { before_ ? setenv(variable, before_->c_str(), 1) : unsetenv(variable); }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

 private:
  static constexpr const char* variable = "TMPDIR";

  ScratchFolder folder_;
  std::optional<std::string> before_;
};

Row measure(const Cell& cell, const Options& options) {
  const TemporaryFiles temporary;
  Row row = measure_in_subject(cell, options);
  row.speak_for(about(abouts, cell)->primary);
  return row;
}

}  // namespace

Program frames_program() {
  return {
      .name = "bench-frames",
      .summary = "What a suspended task keeps, against what it has to, by compiler.",
      .parameters =
          {{.key = "shape",
            .defaults = {"dead", "live", "disjoint"},
            .words = {"dead", "live", "disjoint"},
            .help = "when locals of 1 KiB are needed, beside a suspension"},
           {.key = "tasks",
            .defaults = {"1", "100000"},
            .minimum = 1,
            .maximum = 100'000'000,
            .help = "suspended at once, on one worker's stack"},
           {.key = "nesting",
            .defaults = {"1", "8", "64"},
            .minimum = 1,
            .maximum = 256,
            .help = "levels, for state, code and compile time"},
           {.key = "compiler",
            .defaults = {"gcc", "clang"},
            .words = {"gcc", "clang"},
            .help = "the g++ or clang++ on the path"},
           {.key = "optimise", .defaults = {"0", "2"}, .words = {"0", "2"}, .help = "its -O"}},
      .questions = {{"frames", "kept_bytes", &cells, &measure, {}, &objection}},
      .subjects = frames_subjects(),
  };
}

}  // namespace harness
