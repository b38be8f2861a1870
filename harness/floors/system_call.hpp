// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace harness::floors {

/// `floor-syscall`: a system call that does nothing (getppid, past any cache of the C library).
/// Returns how many of `calls` gave the right answer.
std::uint64_t make_system_calls(std::uint64_t calls) noexcept;

}  // namespace harness::floors
