// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace io {

/// The kinds of system calls that the ground floor and the rooms make and count.
enum class SystemCall : std::size_t { read, write, accept, registration, wait, wake, yield, count };

inline constexpr std::size_t system_call_kinds = static_cast<std::size_t>(SystemCall::count);

/// How many of each were made.
struct SystemCalls {
  std::array<std::uint64_t, system_call_kinds> made{};

  std::uint64_t& operator[](SystemCall kind) { return made[static_cast<std::size_t>(kind)]; }
  std::uint64_t operator[](SystemCall kind) const { return made[static_cast<std::size_t>(kind)]; }
  friend SystemCalls operator-(const SystemCalls& later, const SystemCalls& earlier);
};

/// Adds one call of this thread. Costs a load and a store: no atomic read-modify-write, and no
/// allocation. Works in destructors that run as the thread ends, too; not in a signal handler.
void count(SystemCall kind) noexcept;

/// The same, by an atomic addition to a sum that all threads share: for signal handlers.
void count_shared(SystemCall kind) noexcept;

/// The calls of every thread, those that have ended included. Any thread may ask at any time.
SystemCalls system_calls();

}  // namespace io
