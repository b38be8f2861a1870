// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/options.hpp"

namespace harness {

/// Everything that a figure can depend on, as names and texts for Google Benchmark's context:
/// processor, kernel, limits, memory policy, clock and its cost, compiler, libraries, sources, and
/// the options in force. What cannot be read says `unknown`.
std::vector<std::pair<std::string, std::string>> run_context(const Options& options);

/// Why this build measures nothing (debug, sanitizers); empty for one that may.
std::string build_objection();
/// Empty, or that this process may have too few descriptors to start and watch others.
std::string descriptor_objection();

/// What makes this machine unfit for figures that --strict asks for, a line each: a busy machine, a
/// slow clock source, a CPU frequency that wanders.
std::vector<std::string> environment_objections();

}  // namespace harness
