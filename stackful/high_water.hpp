// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <system_error>

#include "stackful/stack.hpp"

namespace stackful {

/// How far down a stack has been used, and what it holds in memory. Two ways to know:
/// by resident pages, which costs the measured program nothing but is told in whole pages; and by
/// painting, which is exact to the byte but makes every page resident.
struct HighWater {
  std::size_t bytes = 0;           ///< from the top down to the deepest use
  std::size_t resident_bytes = 0;  ///< pages in memory now, whole
};

/// Asks the kernel (mincore). A page that was touched and went back to the kernel does not count.
HighWater high_water_by_pages(const Stack& stack, std::error_code& error);

/// Fills the whole stack with a pattern; nobody may be running on it.
void paint(const Stack& stack) noexcept;
/// Of a stack that has been painted: from the top down to the lowest byte that has changed.
std::size_t high_water_by_paint(const Stack& stack) noexcept;

/// Over all stacks of a pool, lent or not: the deepest use, and the sum of what is resident.
HighWater high_water_by_pages(const StackPool& pool, std::error_code& error);
/// The deepest use in a pool with Options::painted.
std::size_t high_water_by_paint(const StackPool& pool) noexcept;

}  // namespace stackful
