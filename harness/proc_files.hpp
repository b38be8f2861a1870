// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace harness {

/// The whole of a small file of /proc, /sys or a cgroup; empty when it cannot be read.
std::string read_text(const std::filesystem::path& file);
/// A file that holds one number; empty for `max` and whatever else is no number.
std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

/// Lines of `Key: value` or `key value`, as in status, meminfo, smaps_rollup and memory.stat.
using Fields = std::map<std::string, std::string, std::less<>>;
Fields read_fields(const std::filesystem::path& file);
/// The number at the beginning of a field's value.
std::optional<std::uint64_t> field_number(const Fields& fields, std::string_view key);
/// The same, times 1024 where the value is in kB.
std::optional<std::uint64_t> field_bytes(const Fields& fields, std::string_view key);

std::string_view first_word(std::string_view text);
std::string_view last_word(std::string_view text);

/// Threads of the whole machine: the fourth field of /proc/loadavg is `running/all`.
std::optional<std::uint64_t> all_threads();

/// How many sockets a process holds; empty when it has ended or is not ours to look at.
std::optional<std::uint64_t> sockets_of(pid_t process);

/// The folders of this process's cgroup with this controller and of all its ancestors, the own one
/// first, in a v1 hierarchy or the unified one. Empty where none is mounted.
std::vector<std::filesystem::path> own_cgroups(std::string_view controller);
/// Whether the controller has a v1 hierarchy of its own.
bool has_v1_hierarchy(std::string_view controller);

}  // namespace harness
