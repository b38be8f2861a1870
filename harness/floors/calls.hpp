// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace harness::floors {

/// `floor-calls`: goes down so many calls of a function and comes back, as whoever polls a chain of
/// futures has to. Returns the levels it has come back through. `levels` is 1 at least.
std::size_t go_down_and_come_back(std::size_t levels) noexcept;

}  // namespace harness::floors
