// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

namespace harness {

/// How often any thread has called a global operator new so far, those that have ended included;
/// the harness replaces the operators in every executable it is linked into. Empty under a
/// sanitizer, whose own operators have to stay. Any thread; what other threads do meanwhile may be
/// missed.
std::optional<std::uint64_t> allocations() noexcept;

/// How many bytes they have been asked for so far; what an allocator adds is not among them, and
/// what was given back is. Empty and missed as above.
std::optional<std::uint64_t> allocated_bytes() noexcept;

}  // namespace harness
