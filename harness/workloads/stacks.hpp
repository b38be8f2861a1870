// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// The calls of the deepest row: a chain for a stack of a few megabytes.
inline constexpr std::uint64_t most_calls = 10'000;

/// How many are alive in a row of the map, and in its floor's: enough for a slope; fewer of large
/// stacks, because recycled ones are resident for the most part. Up to 1 MiB a multiple of what the
/// pool maps at a time, so that the slope of the address space is what a stack takes.
inline constexpr std::size_t stacks_mapped_at_once = 256;
constexpr std::size_t stacks_at_once(std::size_t stack_bytes) {
  return std::clamp<std::size_t>((std::size_t{256} << 20) / stack_bytes, 1,
                                 4 * stacks_mapped_at_once);
}

/// What bench-stacks asks of the contenders with stacks, each by a key of the row:
/// /depth by run_stack_map (those with a pool), /overflow by run_stack_overflow (all).
std::vector<Subject> stack_subjects();

/// `stacks/B/stack:BYTES/depth:N`: so many tasks are made and wait, each at the end of N calls.
/// /guard:G; /use:recycled on stacks that others have used deeply before; /pool:keep|trim what
/// became of their pages, with what ending then costs; /high_water:painted says no memory, but the
/// bytes used to the byte. A chain that a stack has no room for is refused: `stack_bytes
/// reached=BYTES limit=BYTES (usable of stack:BYTES, at call N)`; the usable ones are more than was
/// asked for by what rounding to pages gives.
void run_stack_map(Port& port, const Cell& cell);

/// `stacks/B/overflow:GUARD/stack:BYTES`: one task among others calls deeper and deeper until its
/// stack ends, which the guard tells at once, and a canary afterwards.
void run_stack_overflow(Port& port, const Cell& cell);

}  // namespace harness
