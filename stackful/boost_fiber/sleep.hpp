// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"

namespace stackful::boost_fiber {

/// Suspends the calling task until `deadline`, never less, through the reactor's timing wheel: the
/// one that every user-space room sleeps on (Boost.Fiber's own sleeps use its tree). A deadline
/// that has passed lets the other runnable fibers run first.
void sleep_until(io::TimePoint deadline) noexcept;

/// Lets all other fibers that are runnable go first.
void yield() noexcept;

}  // namespace stackful::boost_fiber
