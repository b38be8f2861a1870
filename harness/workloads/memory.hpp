// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Both states of `memory/…` for every contender, and the floors of each: `floor-timer` and
/// `floor-page` sleep, `floor-socket` is connected.
std::vector<Subject> memory_subjects();

/// `memory/B/state:sleeping/tasks:N`: a coordinator task spawns a quarter of N sleepers at each
/// *go*; whoever arrives last of them says `parked`; after the last *go* all wake up and end.
/// `floor-timer` is an entry in the timing wheel, on the heap, and nobody whom it wakes: what
/// whoever sleeps must keep. `floor-page` is a guarded stack of which one byte is written: what a
/// private stack takes at least, and takes to make.
void run_sleeping(Port& port, const Cell& cell);
void run_timers_alone(Port& port, const Cell& cell);
void run_pages_alone(Port& port, const Cell& cell);

/// `memory/B/state:connected/tasks:N`: a server whose tasks, each with a connection and a buffer of
/// its own as in echo, wait for a first message. Clients come in quarters; whoever arrives last
/// says `parked`. `floor-socket` takes the connections and serves nobody.
void run_connected(Port& port, const Cell& cell);

}  // namespace harness
