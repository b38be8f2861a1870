// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

namespace harness {

/// The CPUs the calling thread may run on, ascending. Throws std::system_error.
std::vector<int> allowed_cpus();

/// Lets the calling thread, and those it starts, run on these. Throws std::system_error.
void allow_cpus(const std::vector<int>& cpus);

/// Keeps the calling thread on one of the CPUs it may run on now: on the `which`-th, counted round.
/// Throws std::system_error.
void pin_this_thread(std::size_t which);

}  // namespace harness
