// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/program.hpp"

namespace harness {

/// The program's question of this name; nullptr when it has none.
const Question* question_of(const Program& program, std::string_view name);

/// The rows that a command line asks for, each once, in the order in which they are measured.
/// A row that is named has to mean something; of a matrix, those rows that do are taken. Throws
/// std::invalid_argument, with the line for the user, for a name that is no row's, and when nothing
/// is left to measure.
std::vector<Cell> chosen_cells(const Program& program, const Options& options);

}  // namespace harness
