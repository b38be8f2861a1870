// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/calls.hpp"

namespace harness::floors {

// The empty statement after the call keeps it a call: a recursion that only counts is no loop to
// the reader, but to the compiler.
[[gnu::noinline]] std::size_t go_down_and_come_back(std::size_t levels) noexcept {
  std::size_t below = levels > 1 ? go_down_and_come_back(levels - 1) : 0;
  asm volatile("" : "+r"(below));
  return below + 1;
}

}  // namespace harness::floors
