// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"

namespace stackful {

/// Parks the calling fiber until `deadline`, never less; at once if it has passed. The timer lives
/// on the fiber's own stack.
void sleep_until(io::TimePoint deadline);

}  // namespace stackful
