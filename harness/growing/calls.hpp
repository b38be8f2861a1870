// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

// The same calls (calls.cpp), built twice: for a stack of one piece, and for one of segments, where
// the compiler puts a check in front of each function that asks for another segment when this one
// is used up (GCC, -fsplit-stack). Nothing may be inlined: a call is what is measured.

namespace harness::growing {

/// Does so many calls in a row, and returns their sum: 1 + 2 + … + calls, and one more a call for
/// foreign ones.
using Calls = std::uint64_t (*)(std::uint64_t calls);

/// Where the frames of a loop and of the function it calls lie: far apart when there is the edge of
/// a segment in between.
struct Distance {
  std::uintptr_t caller = 0;
  std::uintptr_t callee = 0;

  /// Frames of one segment lie within this; segments are mapped apart.
  static constexpr std::uintptr_t within = 16 * 1024;
  [[nodiscard]] bool crosses_an_edge() const noexcept {
    return (caller > callee ? caller - callee : callee - caller) > within;
  }
};

namespace plain {
std::uint64_t near_calls(std::uint64_t calls);
std::uint64_t foreign_calls(std::uint64_t calls);
/// Runs `what(calls)` so many calls further down.
std::uint64_t below(std::uint64_t levels, Calls what, std::uint64_t calls);
/// Of the last call.
Distance last_distance();
}  // namespace plain

namespace split {
std::uint64_t near_calls(std::uint64_t calls);
std::uint64_t foreign_calls(std::uint64_t calls);
std::uint64_t below(std::uint64_t levels, Calls what, std::uint64_t calls);
Distance last_distance();
}  // namespace split

/// Built without checks in either case, as a library of others would be.
std::uint64_t foreign(std::uint64_t number, Distance& distance);

}  // namespace harness::growing
