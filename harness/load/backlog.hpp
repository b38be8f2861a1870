// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace harness::load {

/// How often TCP listeners of this network namespace have turned a connection away since it was
/// made: ListenDrops, in which the kernel counts a full backlog (ListenOverflows) as well as every
/// other reason. One that is turned away comes again after a second: a ramp during which this moves
/// was none. Whose listeners they were is not told: another program's in the same namespace count,
/// too. Empty where the kernel does not tell.
std::optional<std::uint64_t> turned_away();
/// The same from the text of /proc/net/netstat.
std::optional<std::uint64_t> turned_away(std::string_view netstat);

}  // namespace harness::load
