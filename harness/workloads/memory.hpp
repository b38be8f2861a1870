// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Both states of `memory/…` for every contender, and the floor of each: `floor-timer` sleeps,
/// `floor-socket` is connected.
std::vector<Subject> memory_subjects();

/// `memory/B/state:sleeping/tasks:N`: a coordinator task spawns a quarter of N sleepers at each
/// *go*; whoever arrives last of them says `parked`; after the last *go* all wake up and end.
/// `floor-timer` is an entry in the timing wheel, on the heap, and nobody whom it wakes: what
/// whoever sleeps must keep.
void run_sleeping(Port& port, const Cell& cell);

/// `memory/B/state:connected/tasks:N`: a server whose tasks, each with a connection and a buffer of
/// its own as in echo, wait for a first message. Clients come in quarters; whoever arrives last
/// says `parked`. `floor-socket` takes the connections and serves nobody.
void run_connected(Port& port, const Cell& cell);

}  // namespace harness
