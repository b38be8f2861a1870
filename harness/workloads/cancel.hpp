// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `cancel/B/what:read/tasks:N`, `what:sleep`: N tasks that wait, each with a buffer and a socket
/// or a timer; how long it takes from the decision until all of it is back, and what is not.
/// `cancel/callbacks/what:sleep/tasks:N/token:none`: promises that are dropped, and what goes on.
std::vector<Subject> cancel_subjects();

/// `cancel/B/what:timer/tasks:N`: a timer put among N and taken back before it fires, as most are.
/// Futures and coroutines poll a sleep and drop it; `floor-wheel` is the rooms' wheel without
/// tasks.
void run_timers_alone(Port& port, const Cell& cell);
void run_timers_in_futures(Port& port, const Cell& cell);
void run_timers_in_coroutines(Port& port, const Cell& cell);

}  // namespace harness
