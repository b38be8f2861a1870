// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness::growing {

/// `stacks/plain-stack/call:near|edge|foreign` and `stacks/split-stack/call:…`: this process goes
/// on as yardstack-split-stack. Refused where that was not built.
void run_split_stack(Port& port, const Cell& cell);

/// `stacks/moved-stack/pointers:raw|relative`: a task that waits is moved to a larger stack, byte
/// for byte, and goes on there. Frames lead to each other by pointers, or by distances.
void run_moved_stack(Port& port, const Cell& cell);

/// Those of bench-stacks.
std::vector<Subject> growing_subjects();

}  // namespace harness::growing
