// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <string_view>

#include "harness/cell.hpp"

namespace harness {

/// What a row is about, where a program has rows of several kinds: the key that tells, and the
/// counter that the row's `valid` speaks of.
struct About {
  std::string_view key;
  std::string_view primary;
};

/// The one whose key the cell has; nullptr when it has none, or several.
inline const About* about(std::span<const About> abouts, const Cell& cell) {
  const About* found = nullptr;
  for (const About& each : abouts) {
    if (!cell.has(each.key)) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

}  // namespace harness
