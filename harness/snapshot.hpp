// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

#include "harness/process.hpp"

namespace harness {

/// A photograph of what a process holds at one moment, from outside, in bytes where no other unit
/// is said. Taken while the process only waits, it costs it nothing.
struct Snapshot {
  /// Proportional set size of what is in no file, in memory or swapped out: pages shared with
  /// others count in part. Linux before 5.4 tells it only together with `files`.
  std::uint64_t resident = 0;
  /// The same of programs and libraries: shrinks whenever others start that use them, too.
  std::uint64_t files = 0;
  std::uint64_t page_tables = 0;  ///< VmPTE
  std::uint64_t virtual_size = 0;
  std::uint64_t mappings = 0;  ///< number
  std::uint64_t threads = 0;   ///< number

  /// Where a figure of kernel memory comes from.
  enum class Origin {
    cgroup,    ///< the group's own account of that kind
    reckoned,  ///< derived, as a v1 group knows only the sum: kernel stacks are threads times the
               ///< machine's mean of one (KernelStack by all threads), slab what the group has
               ///< besides
    machine,   ///< the whole machine's (meminfo): only differences mean something, others disturb
  };

  /// All that the kernel holds for it, page tables and stacks included.
  std::optional<std::uint64_t> kernel;
  std::optional<std::uint64_t> kernel_stacks;
  std::optional<std::uint64_t> slab;
  Origin origin = Origin::cgroup;  ///< of the last three, at worst

  /// Throws std::system_error when the process cannot be looked at (it has ended).
  static Snapshot of(const Process& process);
};

}  // namespace harness
