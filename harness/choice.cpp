// SPDX-License-Identifier: BSL-1.0
#include "harness/choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <regex>
#include <stdexcept>

namespace harness {

namespace {

std::string objection_to(const Question& question, const Cell& cell) {
  return question.objection ? question.objection(cell) : std::string{};
}

/// A row name from the command line, as strictly as the lists.
Cell checked_cell(const Program& program, const std::string& name) {
  const auto cell = Cell::parse(name);
  if (!cell) throw std::invalid_argument{fmt::format("--cell: {} is no row name", name)};
  const bool known = std::any_of(
      program.subjects.begin(), program.subjects.end(), [&cell](const Subject& subject) {
        return subject.question == cell->question && subject.contender == cell->contender;
      });
  const Question* question = question_of(program, cell->question);
  if (!known || question == nullptr) {
    throw std::invalid_argument{
        fmt::format("--cell: {} has no row {}/{}", program.name, cell->question, cell->contender)};
  }
  for (const auto& key : question->needed) {
    if (!cell->has(key) && !cell->contender.starts_with("floor-")) {
      throw std::invalid_argument{fmt::format("--cell: {} lacks /{}:…", name, key)};
    }
  }
  for (const auto& [key, value] : cell->parameters) {
    const auto parameter = std::find_if(program.parameters.begin(), program.parameters.end(),
                                        [&key = key](const Parameter& p) { return p.key == key; });
    if (parameter == program.parameters.end()) {
      throw std::invalid_argument{fmt::format("--cell: {} has no parameter {}", program.name, key)};
    }
    const std::string objection = parameter->objection(value);
    if (!objection.empty()) throw std::invalid_argument{"--cell: " + objection};
  }
  const std::string objection = objection_to(*question, *cell);
  if (!objection.empty()) {
    throw std::invalid_argument{fmt::format("--cell: {}: {}", name, objection)};
  }
  return *cell;
}

std::vector<Cell> named_cells(const Program& program, const Options& options) {
  std::vector<Cell> cells;
  for (const auto& name : options.cells) cells.push_back(checked_cell(program, name));
  return cells;
}

bool is_wanted(const Cell& cell, const Options& options) {
  const auto& wanted = options.contenders;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), cell.contender) != wanted.end();
}

/// Lists of values are crossed, so some of their combinations may mean nothing.
std::vector<Cell> default_cells(const Program& program, const Options& options) {
  std::vector<Cell> cells;
  std::string objection;
  for (const auto& question : program.questions) {
    for (auto& cell : question.cells(options)) {
      if (!is_wanted(cell, options)) continue;
      std::string own = objection_to(question, cell);
      own.empty() ? cells.push_back(std::move(cell)) : std::swap(objection, own);
    }
  }
  if (cells.empty()) {
    throw std::invalid_argument{
        objection.empty() ? "no row goes with these flags; --benchmark_list_tests alone lists all"
                          : "no row is left to measure: " + objection};
  }
  return cells;
}

/// Its name is its whole specification: twice the same would be one row twice.
void drop_repeated(std::vector<Cell>& cells) {
  std::vector<Cell> once;
  for (auto& cell : cells) {
    if (std::find(once.begin(), once.end(), cell) == once.end()) once.push_back(std::move(cell));
  }
  cells = std::move(once);
}

/// As Google Benchmark does it: by an extended regular expression that is found somewhere in the
/// name it shows; a `-` before it takes the others.
void apply_filter(std::vector<Cell>& cells, std::string filter) {
  if (filter.empty() || filter == "all") return;
  const std::string said = filter;
  const bool others = filter.front() == '-';
  if (others) filter.erase(0, 1);
  try {
    const std::regex expression{filter, std::regex::extended};
    std::erase_if(cells, [&](const Cell& cell) {
      return std::regex_search(cell.name() + "/iterations:1/manual_time", expression) == others;
    });
  } catch (const std::regex_error&) {
    throw std::invalid_argument{
        fmt::format("--benchmark_filter: '{}' is no extended regular expression", said)};
  }
  if (!cells.empty()) return;
  throw std::invalid_argument{fmt::format(
      "--benchmark_filter: '{}' is found in no row; --benchmark_list_tests lists them", said)};
}

/// The same order for the same seed with every standard library, which std::shuffle does not
/// promise.
void shuffle(std::vector<Cell>& cells, std::uint64_t seed) {
  if (seed == 0) return;
  std::mt19937_64 random{seed};
  for (std::size_t left = cells.size(); left > 1; --left)
    std::swap(cells[left - 1], cells[random() % left]);
}

}  // namespace

const Question* question_of(const Program& program, std::string_view name) {
  const auto found =
      std::find_if(program.questions.begin(), program.questions.end(),
                   [name](const Question& question) { return question.name == name; });
  return found == program.questions.end() ? nullptr : &*found;
}

std::vector<Cell> chosen_cells(const Program& program, const Options& options) {
  const std::string objection = program.objection ? program.objection(options) : std::string{};
  if (!objection.empty()) throw std::invalid_argument{objection};
  auto cells =
      options.cells.empty() ? default_cells(program, options) : named_cells(program, options);
  drop_repeated(cells);
  apply_filter(cells, options.filter);
  shuffle(cells, options.order_seed);
  return cells;
}

}  // namespace harness
