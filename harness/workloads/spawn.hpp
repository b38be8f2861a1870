// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `spawn/B/alive:N`: while N tasks are parked, one task spawns another that only says that it ran,
/// and waits for that; one spawn is a task's whole life.
std::vector<Subject> spawn_subjects();

/// `spawn/B/together:N`, for rooms whose spawn runs nothing: one task spawns N in a row, which are
/// all alive then; that is timed, a spawn at a time. They end, and it spawns as many again: the
/// first generation meets a fresh heap, which is `cold_ns_per_create`, the others a warm one.
void run_generations(Port& port, const Cell& cell);

}  // namespace harness
