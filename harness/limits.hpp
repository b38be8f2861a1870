// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace harness {

/// One of the machine's limits, and how much of it is taken at this moment.
struct Limit {
  std::string name;  ///< as the kernel calls it: pid_max, RLIMIT_NPROC, max_map_count, …
  std::uint64_t used = 0;
  std::uint64_t limit = 0;

  [[nodiscard]] std::uint64_t left() const noexcept { return used < limit ? limit - used : 0; }
};

/// Every limit on the number of tasks of the kernel that binds this process: pid_max (without the
/// numbers the kernel never uses again), threads-max, RLIMIT_NPROC where it is enforced, pids.max
/// of every ancestor's cgroup. Those that cannot be read or are unlimited are left out.
std::vector<Limit> task_limits();
/// Memory mappings (max_map_count), address space, memory of every ancestor's cgroup, the
/// machine's. Memory in bytes.
std::vector<Limit> memory_limits();
/// RLIMIT_NOFILE, and file-max for the whole system.
std::vector<Limit> descriptor_limits();
/// Raises this process's own RLIMIT_NOFILE as far as it goes; returns what it is now. Throws
/// std::system_error.
std::uint64_t raise_descriptor_limit();
/// Ports for outgoing connections from one address to one endpoint. No error alone says that they
/// have run out (EADDRNOTAVAIL is a foreign address, too): only whoever connects can tell.
Limit port_limit();

/// The limit behind an error met while making one more of something: the one with the least left,
/// as a share of itself. Empty when the error is no matter of limits or none is nearly used up;
/// but a limited address space explains missing memory however much is left, as one request may be
/// larger than that.
std::optional<Limit> binding_limit(std::error_code error);

/// Finding a limit and naming it takes memory, which may be what there is none of: keeps some back,
/// which binding_limit() gives free. Any thread.
void set_memory_aside();

/// The end of a cell that met `error` when `reached` had been made: `refused: LIMIT reached=N
/// limit=N`, or `failed: …` when no limit explains it.
std::string refusal(std::error_code error, std::uint64_t reached);
/// The same for whatever was thrown where nothing is counted: `reached` is then how much of the
/// limit is used.
std::string refusal(const std::exception& error);
/// The same for a limit known beforehand. What a contender does not have is no limit: such a row
/// ends in `refused: CONTENDER has no …`, without numbers.
std::string refusal(std::string_view limit_name, std::uint64_t reached, std::uint64_t limit);

}  // namespace harness
