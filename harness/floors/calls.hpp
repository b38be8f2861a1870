// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace harness::floors {

/// `floor-calls`: goes down so many calls of a function and comes back, as whoever polls a chain of
/// futures has to. The innermost has the value, and each level makes something of it on the way.
/// `levels` is 1 at least.
///
/// The empty statement after the call keeps it a call: to the compiler such a recursion might be a
/// loop.
template <std::uint64_t (*level)(std::uint64_t) noexcept>
[[gnu::noinline]] std::uint64_t go_down_and_come_back(std::uint64_t value,
                                                      std::uint64_t levels) noexcept {
  std::uint64_t below = levels > 1 ? go_down_and_come_back<level>(value, levels - 1) : value;
  asm volatile("" : "+r"(below));
  return level(below);
}

/// For a chain that says how many levels it has come back through.
constexpr std::uint64_t one_more(std::uint64_t levels) noexcept {
  return levels + 1;
}

}  // namespace harness::floors
