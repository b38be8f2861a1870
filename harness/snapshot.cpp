// SPDX-License-Identifier: BSL-1.0
#include "harness/snapshot.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/proc_files.hpp"

namespace harness {

namespace {

std::uint64_t needed(std::optional<std::uint64_t> value, const char* what) {
  if (!value) throw std::system_error{ESRCH, std::generic_category(), what};
  return *value;
}

std::uint64_t lines(const std::filesystem::path& file) {
  std::ifstream in{file};
  return static_cast<std::uint64_t>(std::count(std::istreambuf_iterator<char>{in}, {}, '\n'));
}

void look_at_user(Snapshot& snapshot, const Fields& rollup) {
  const auto in_files = field_bytes(rollup, "Pss_File");
  snapshot.files = in_files.value_or(0);
  snapshot.resident = needed(field_bytes(rollup, "Pss"), "smaps_rollup") - snapshot.files +
                      field_bytes(rollup, "SwapPss").value_or(0);
}

/// A v1 group knows only the sum.
void look_at_v1(Snapshot& snapshot, const std::filesystem::path& group) {
  snapshot.kernel = read_number(group / "memory.kmem.usage_in_bytes");
  const auto sockets = read_number(group / "memory.kmem.tcp.usage_in_bytes");
  if (snapshot.kernel && sockets) *snapshot.kernel += *sockets;
}

void look_at_v2(Snapshot& snapshot, const std::filesystem::path& group) {
  const auto fields = read_fields(group / "memory.stat");
  snapshot.kernel_stacks = field_number(fields, "kernel_stack");
  snapshot.slab = field_number(fields, "slab");
  std::uint64_t sum = 0;
  for (const auto* part : {"kernel_stack", "pagetables", "slab", "percpu", "vmalloc", "sock"}) {
    sum += field_number(fields, part).value_or(0);
  }
  if (sum > 0) snapshot.kernel = sum;
}

/// Bytes of one kernel stack: all stacks of the machine by all its threads. 0 when unknown.
std::uint64_t kernel_stack_bytes(const Fields& machine) {
  const auto stacks = field_bytes(machine, "KernelStack");
  const auto threads = all_threads();
  return stacks && threads && *threads > 0 ? (*stacks + *threads / 2) / *threads : 0;
}

void reckon(Snapshot& snapshot) {
  const auto machine = read_fields("/proc/meminfo");
  snapshot.kernel_stacks = snapshot.threads * kernel_stack_bytes(machine);
  const std::uint64_t known = *snapshot.kernel_stacks + snapshot.page_tables;
  if (snapshot.kernel) {
    snapshot.slab = *snapshot.kernel - std::min(known, *snapshot.kernel);
    snapshot.origin = Snapshot::Origin::reckoned;
    return;
  }
  snapshot.slab = field_bytes(machine, "Slab");
  if (snapshot.slab) snapshot.kernel = known + *snapshot.slab;
  snapshot.origin = Snapshot::Origin::machine;
}

}  // namespace

Snapshot Snapshot::of(const Process& process) {
  const std::filesystem::path folder = fmt::format("/proc/{}", process.pid());
  const auto status = read_fields(folder / "status");
  const auto rollup = read_fields(folder / "smaps_rollup");
  Snapshot snapshot;
  look_at_user(snapshot, rollup);
  snapshot.page_tables = needed(field_bytes(status, "VmPTE"), "status");
  snapshot.virtual_size = needed(field_bytes(status, "VmSize"), "status");
  snapshot.threads = needed(field_number(status, "Threads"), "status");
  snapshot.mappings = lines(folder / "maps");
  if (const auto& group = process.memory_cgroup()) {
    const bool v1 = group->version() == Cgroup::Version::v1;
    v1 ? look_at_v1(snapshot, group->folder()) : look_at_v2(snapshot, group->folder());
  }
  if (!snapshot.slab) reckon(snapshot);
  return snapshot;
}

}  // namespace harness
