// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// What `frames/B/…` asks; each key is a workload. `floor-calls` are plain nested calls, as threads
/// and fibers make them: they have /nesting:N only.
std::vector<Subject> frames_subjects();

/// `compiler 12.2`, for a row's label, from what a probe has told.
std::string compiler_named(const std::map<std::string, double>& told);

/// `/shape:dead|live|disjoint`: what is kept across a suspension of a 1 KiB local that is over
/// before it, that is needed after it, and of two that are never there at the same time. For
/// coroutines with `/compiler:gcc|clang/optimise:0|2`: their frames are that compiler's.
void run_shape(Port& port, const Cell& cell);

/// `/tasks:N`: how deep N tasks, all of which use a local of 64 KiB and are then suspended, reach
/// down the stack of their one worker, beside one task alone; and how much deeper that one reaches
/// than one whose local has 32 KiB.
void run_worker_stack(Port& port, const Cell& cell);

/// `/nesting:N/compiler:C/optimise:O`: state, code and compile time of N levels, and of each.
void run_nesting(Port& port, const Cell& cell);

}  // namespace harness
