// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"

namespace threads {

/// Blocks the calling thread until `deadline` has passed: never early, later by the thread's timer
/// slack and the kernel's own delay. A deadline in the past returns at once.
void sleep_until(io::TimePoint deadline) noexcept;

/// Lets another runnable thread of this CPU go first (sched_yield).
void yield() noexcept;

}  // namespace threads
