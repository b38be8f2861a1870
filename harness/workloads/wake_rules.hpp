// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/concepts.hpp"
#include "harness/subject.hpp"

namespace harness {

// The rules of `wake/B/rule:R` that need more than a few lines.

/// Sends `wakes`, `wakes_lost` and `polls_within_wakes`; and `wakes_from_sleep`, those that a
/// thread had to wake the worker for.
void run_order(Port& port, Dialect dialect);

/// Sends `stuck_found`, of one task that is stuck, and `false_alarms_found`, of a hundred that
/// sleep for long.
void run_stuck(Port& port, Dialect dialect);

/// Sends `refreshed_wakes_lost` and `stale_wakes_lost`, each of one; `stale_found` and
/// `false_alarms_found`, what the watchdog said in either case; `will_wake_clones` and
/// `plain_clones`, the wakers that were cloned in 1,000 polls by one task.
void run_stale(Port& port, Dialect dialect);

}  // namespace harness
