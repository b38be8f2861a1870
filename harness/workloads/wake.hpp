// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Every way to ask what a wake is, for every contender that has it.
std::vector<Subject> wake_subjects();

/// `wake/B/from:thread`: a thread on another CPU sets the event of a task whose worker sleeps in
/// the kernel; one wake lasts from just before the call until the task runs (doorbell.hpp).
void run_wake_from_thread(Port& port, const Cell& cell);

/// `wake/B/spurious:K`, for what is polled: a task that waits for an event is woken K times for
/// nothing before the event is set. Every wake, for nothing or not, goes through the run queue.
void run_spurious_wakes(Port& port, const Cell& cell);

/// `wake/B/wait:parked` and `wait:busy`: a task waits for the whole time that is measured, by an
/// event, or asking again and again and yielding in between.
void run_wait(Port& port, const Cell& cell);

/// `wake/B/rule:R`, for what is polled: whether a rule of the contract between a future and its
/// executor is kept, and whether its breach is found. `order`: a wake queues and never polls, and
/// none is lost, whoever wakes (another task, the task itself, a thread) and whenever (during the
/// poll, after it, while the worker sleeps). `stuck`: a future that arranges no wake-up is named.
/// `stale`: a future that has moved to another task is woken if it refreshes its waker, else lost
/// and named. `over`: a future polled after completion is refused.
void run_wake_rule(Port& port, const Cell& cell);

}  // namespace harness
