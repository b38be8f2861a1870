// SPDX-License-Identifier: BSL-1.0
// Compiled twice, with YARDSTACK_STACK=plain and =split: the same text, so that only the check is
// between them.
#include "harness/growing/calls.hpp"

#include <array>
#include <cstddef>

namespace harness::growing::YARDSTACK_STACK {

namespace {

/// More than a level of `below`, so that some level leaves room for the loop, but not for this.
constexpr std::size_t callee_bytes = 1024;

Distance distance;

[[gnu::noinline]] std::uint64_t callee(std::uint64_t number) {
  std::array<volatile std::byte, callee_bytes> own;
  own.front() = std::byte{1};
  distance.callee = reinterpret_cast<std::uintptr_t>(own.data());
  return number - 1 + static_cast<std::uint64_t>(own.front());
}

[[gnu::noinline]] std::uint64_t call_foreign(std::uint64_t number) {
  return foreign(number, distance) + 1;
}

template <class Callee>
std::uint64_t each(std::uint64_t calls, Callee called) {
  volatile std::byte own{};
  distance.caller = reinterpret_cast<std::uintptr_t>(&own);
  std::uint64_t sum = 0;
  for (; calls != 0; --calls) sum += called(calls);
  return sum;
}

}  // namespace

[[gnu::noinline]] std::uint64_t near_calls(std::uint64_t calls) {
  return each(calls, [](std::uint64_t number) { return callee(number); });
}

[[gnu::noinline]] std::uint64_t foreign_calls(std::uint64_t calls) {
  return each(calls, [](std::uint64_t number) { return call_foreign(number); });
}

[[gnu::noinline]] std::uint64_t below(std::uint64_t levels, Calls what, std::uint64_t calls) {
  std::array<volatile std::byte, 128> own;
  own.front() = std::byte{0};
  asm volatile("" : : "r"(own.data()) : "memory");  // all of it, not only what is used
  const std::uint64_t sum = levels == 0 ? what(calls) : below(levels - 1, what, calls);
  return sum + static_cast<std::uint64_t>(own.front());
}

Distance last_distance() {
  return distance;
}

}  // namespace harness::growing::YARDSTACK_STACK
