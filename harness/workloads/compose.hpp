// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// What `compose/B/…` asks of those who compose tasks of smaller ones; each key is a workload:
std::vector<Subject> compose_subjects();

/// `/depth:N`: N levels around a value that is there at once; made, run to its end, and destroyed.
void run_depth(Port& port, const Cell& cell);

/// `/suspensions:N`: two tasks hand over to each other; each is suspended N times in its life.
void run_suspensions(Port& port, const Cell& cell);

/// `/before:poll`: what the body has done when the call has returned and nobody has polled.
void run_before(Port& port, const Cell& cell);

/// `/waits:sequence|join`: several sleeps inside one task, one after the other or together.
void run_waits(Port& port, const Cell& cell);

/// `/place:kept|moved`: a state that points into itself, kept where it was polled, or moved.
void run_place(Port& port, const Cell& cell);

/// `/memory:arena`: futures run to their end by an executor in a static arena.
void run_arena(Port& port, const Cell& cell);

}  // namespace harness
