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

}  // namespace io
