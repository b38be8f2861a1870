// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/subject.hpp"

namespace harness::floors {

/// `timers/peer-heap/…`: the same timetable kept by a binary heap and one loop around epoll,
/// without tasks: what most event loops do. Shares no code with io/.
Subject heap_timers();

/// `timers/peer-thread-per-timer/…`: the same by a bare pthread each, asleep in clock_nanosleep.
/// Shares no code with io/ or threads/.
Subject thread_per_timer();

}  // namespace harness::floors
