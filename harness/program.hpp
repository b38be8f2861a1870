// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cell.hpp"
#include "harness/options.hpp"
#include "harness/row.hpp"
#include "harness/subject.hpp"

namespace harness {

/// One family of rows, measured in one way.
struct Question {
  std::string name;     ///< the first segment of its rows
  std::string primary;  ///< the counter that `valid` speaks of
  /// The default matrix for the lists of the command line; contenders are filtered afterwards.
  std::vector<Cell> (*cells)(const Options&);
  /// Parent side: measures one cell. Throws Failure for a row without figures.
  Row (*measure)(const Cell&, const Options&);
  /// Keys that a row must have to mean anything, unless it is a floor's.
  std::vector<std::string> needed{};
  /// Empty when the parameters of a row go together, each being one of the program's; else the line
  /// that says why not. None: all do.
  std::string (*objection)(const Cell&) = nullptr;
};

/// An ordinary Google Benchmark program, as data.
struct Program {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::vector<Question> questions;
  std::vector<Subject> subjects;
  std::chrono::duration<double> measure_for{1.0};  ///< default of --seconds
  std::vector<Setting> settings{};
  /// Empty when the flags go together; else the line that says why not. None: all do.
  std::string (*objection)(const Options&) = nullptr;
};

/// The main of every bench program, in the parent's and in the subject's role.
///
/// Exit status: 0 rows valid, refused, noisy or client-limited; 1 a row failed, wrong, timed out or
/// crashed; 2 usage; 4 environment refused; 130 interrupted. With --strict noisy and client-limited
/// rows count as 1.
int run_program(int argc, char** argv, const Program& program);

/// Every contender with every combination of the given parameters, in this order of the name:
/// `cross("switch", {"threads"}, {"tasks"}, options)` -> switch/threads/tasks:2, …tasks:1000.
std::vector<Cell> cross(std::string_view question, const std::vector<std::string>& contenders,
                        std::initializer_list<std::string_view> keys, const Options& options);

/// The measuring function of a question whose subject does all by itself: starts it, and its
/// results become the row.
Row measure_in_subject(const Cell& cell, const Options& options);

}  // namespace harness
