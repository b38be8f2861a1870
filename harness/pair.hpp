// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string_view>

#include "harness/cell.hpp"
#include "harness/load/plan.hpp"
#include "harness/options.hpp"
#include "harness/row.hpp"

namespace harness {

/// The contender that every server is measured against.
inline constexpr std::string_view floor_server = "floor-epoll";

/// Measures a server as a pair: the cell's contender and the floor are two fresh processes on one
/// CPU, both with all their connections, driven by one load generator on another CPU in alternating
/// slices (A B B A …). Separate runs of the very same server differ by 10 %; what two servers cost
/// in slices that lie 25 ms apart does not. The cell of the floor itself is the floor against
/// another one: the instrument's own error.
///
/// Keys: `transport`, `connections`, `bytes`, `active` (0: all), `rate` (messages a second in open
/// loop; 0: closed loop; `half`: half of what floor and client reach together, measured once and
/// kept in the file of `--half-rates`). Counters: see design.md; `floor_…` is the same of the
/// floor. Throws Failure.
Row measure_pair(const Cell& cell, const Options& options);

/// The same for a server that is somebody else's: a process on whatever CPU it likes.
Row measure_pair(const Cell& cell, const Options& options, const load::Target& foreign);

}  // namespace harness
