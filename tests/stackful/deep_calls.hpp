// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

/// Bytes that each level of `descend` writes, at least.
inline constexpr std::size_t bytes_a_level = 1024;

/// Calls itself `levels` deep and touches every page on the way, so that no level can reach over a
/// guard. Returns `levels`.
[[gnu::noinline]] inline std::size_t descend(std::size_t levels) {
  volatile std::byte frame[bytes_a_level];
  for (volatile std::byte& byte : frame) byte = std::byte{1};
  return levels == 0 ? 0 : descend(levels - 1) + static_cast<std::size_t>(frame[0]);
}
