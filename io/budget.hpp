// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"

namespace io {

/// How many tasks a worker runs between two looks at the reactor, in every user-space room.
inline constexpr unsigned poll_budget = 61;

/// How long a worker runs at least between two looks at the reactor. A look is a system call of
/// half a microsecond: tasks that take a few nanoseconds each would pay more for it than for
/// themselves.
inline constexpr Duration look_interval = std::chrono::microseconds{20};

/// How many I/O calls a fiber makes in a row, its slice, before it lets others go. In calls,
/// because a clock reading at each would cost more than it protects: so many of a microsecond or so
/// come near look_interval.
inline constexpr unsigned calls_a_slice = 16;

}  // namespace io
