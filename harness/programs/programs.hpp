// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/program.hpp"

namespace harness {

// The data of each bench program; harness/benchmarks/bench_NAME.cpp runs it.

/// What a hand-over from one task to the next costs.
Program switch_program();
/// What a private stack holds and costs, by its size and the depth of calls on it.
Program stacks_program();
/// What a task's whole life costs.
Program spawn_program();
/// What an echo server costs beside a raw epoll loop.
Program echo_program();

/// What a waiting task occupies, by kind of memory, and what making it takes.
Program memory_program();

/// What a suspension costs deep down in calls.
Program depth_program();

/// What one task that blocks, or computes, does to the others on its worker.
Program blocking_program();
/// What it costs to call a task off, and what comes back.
Program cancel_program();
/// Which work overlaps on one worker, and which takes a second one.
Program parallel_program();

/// How late timers fire, and what they cost.
Program timers_program();
/// What it costs to make one task of many parts, and to wait inside it.
Program compose_program();
/// What a wake-up costs, and what the rules of waking catch.
Program wake_program();
/// What a suspended task keeps, against what it has to.
Program frames_program();
/// Whether the instrument can be trusted on this machine.
Program selftest_program();

}  // namespace harness
