// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace harness {

/// Where a composition's innermost part gets its value. The compiler is told that somebody may have
/// changed it, before every operation, so that none is reckoned in advance.
struct Source {
  bool open = true;  ///< always, but who reads it cannot know
  std::uint64_t value = 0x9e37'79b9'7f4a'7c15;
};

inline void touch(Source& source) noexcept {
  asm volatile("" : : "g"(&source) : "memory");
}

/// What each level does with the value that comes from below: two instructions that compilers do
/// not fold into those of the next level.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  return std::rotl(value, 7) + 1;
}

/// What `depth` levels make of a value.
constexpr std::uint64_t mixed(std::uint64_t value, unsigned depth) noexcept {
  for (unsigned level = 0; level < depth; ++level) value = mix(value);
  return value;
}

/// The depths that static composition has a type for.
inline constexpr std::array depths{1U, 2U, 4U, 8U, 16U, 32U, 64U};

}  // namespace harness
