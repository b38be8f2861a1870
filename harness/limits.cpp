// SPDX-License-Identifier: BSL-1.0
#include "harness/limits.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cell.hpp"
#include "harness/proc_files.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

/// After the first wrap the kernel gives no process a number below this.
constexpr std::uint64_t reserved_pids = 300;
/// CAP_SYS_ADMIN and CAP_SYS_RESOURCE: whoever has one is not held to RLIMIT_NPROC.
constexpr std::uint64_t privileged = (std::uint64_t{1} << 21) | (std::uint64_t{1} << 24);

void add(std::vector<Limit>& limits, std::string_view name, std::optional<std::uint64_t> used,
         std::optional<std::uint64_t> limit) {
  if (used && limit && *limit > 0) limits.push_back({std::string{name}, *used, *limit});
}

std::optional<std::uint64_t> resource_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return std::nullopt;
  if (limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// Threads of this user, counted as the kernel does for RLIMIT_NPROC.
std::optional<std::uint64_t> own_users_threads() {
  const auto uid = std::to_string(getuid());
  std::uint64_t threads = 0;
  std::error_code error;
  for (fs::directory_iterator entry{"/proc", error}, end; !error && entry != end;
       entry.increment(error)) {
    if (!parse_number(entry->path().filename().string())) continue;
    const auto status = read_fields(entry->path() / "status");  // one that has just ended is empty
    const auto owner = status.find("Uid");
    if (owner == status.end() || first_word(owner->second) != uid) continue;
    threads += field_number(status, "Threads").value_or(0);
  }
  return error ? std::nullopt : std::optional{threads};
}

bool held_to_process_limit() {
  const auto status = read_fields("/proc/self/status");
  const auto capabilities = status.find("CapEff");
  if (capabilities == status.end()) return true;
  return (std::stoull(capabilities->second, nullptr, 16) & privileged) == 0;
}

std::uint64_t mappings() {
  std::ifstream maps{"/proc/self/maps"};
  return static_cast<std::uint64_t>(std::count(std::istreambuf_iterator<char>{maps}, {}, '\n'));
}

/// Compared by condition: the rooms have error codes of their own for the same thing.
std::vector<Limit> limits_behind(std::error_code error) {
  using std::errc;
  if (error == errc::too_many_files_open || error == errc::too_many_files_open_in_system) {
    return descriptor_limits();
  }
  std::vector<Limit> limits;
  // pthread_create says "try again" for missing memory and mappings as well.
  const bool tasks = error == errc::resource_unavailable_try_again;
  if (tasks) limits = task_limits();
  if (tasks || error == errc::not_enough_memory) {
    std::ranges::copy(memory_limits(), std::back_inserter(limits));
  }
  return limits;
}

/// Static, as whoever runs out of memory has nothing else at hand.
std::atomic<void*> aside{nullptr};

double share_left(const Limit& limit) {
  return static_cast<double>(limit.left()) / static_cast<double>(limit.limit);
}

}  // namespace

std::vector<Limit> task_limits() {
  std::vector<Limit> limits;
  const auto threads = all_threads();
  add(limits, "threads-max", threads, read_number("/proc/sys/kernel/threads-max"));
  if (const auto highest = read_number("/proc/sys/kernel/pid_max"); highest && threads) {
    add(limits, "pid_max", *threads + std::min(reserved_pids, *highest), highest);
  }
  if (held_to_process_limit()) {
    add(limits, "RLIMIT_NPROC", own_users_threads(), resource_limit(RLIMIT_NPROC));
  }
  for (const auto& group : own_cgroups("pids")) {
    add(limits, "pids.max", read_number(group / "pids.current"), read_number(group / "pids.max"));
  }
  return limits;
}

std::vector<Limit> memory_limits() {
  std::vector<Limit> limits;
  add(limits, "max_map_count", mappings(), read_number("/proc/sys/vm/max_map_count"));
  const auto status = read_fields("/proc/self/status");
  add(limits, "RLIMIT_AS", field_bytes(status, "VmSize"), resource_limit(RLIMIT_AS));
  for (const auto& group : own_cgroups("memory")) {
    add(limits, "memory.max", read_number(group / "memory.current"),
        read_number(group / "memory.max"));
    add(limits, "memory.limit_in_bytes", read_number(group / "memory.usage_in_bytes"),
        read_number(group / "memory.limit_in_bytes"));
  }
  const auto machine = read_fields("/proc/meminfo");
  const auto total = field_bytes(machine, "MemTotal");
  const auto available = field_bytes(machine, "MemAvailable");
  if (total && available) add(limits, "MemTotal", *total - std::min(*total, *available), total);
  return limits;
}

std::vector<Limit> descriptor_limits() {
  std::vector<Limit> limits;
  std::error_code error;
  const fs::directory_iterator open{"/proc/self/fd", error};
  if (error) {
    // Not even this folder can be opened: the limit is reached.
    add(limits, "RLIMIT_NOFILE", resource_limit(RLIMIT_NOFILE), resource_limit(RLIMIT_NOFILE));
    return limits;
  }
  const auto count = std::distance(fs::begin(open), fs::end(open));
  add(limits, "RLIMIT_NOFILE", static_cast<std::uint64_t>(count), resource_limit(RLIMIT_NOFILE));
  const auto files = read_text("/proc/sys/fs/file-nr");
  add(limits, "file-max", parse_number(first_word(files)), read_number("/proc/sys/fs/file-max"));
  return limits;
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw std::system_error{errno, std::system_category(), "getrlimit"};
  }
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw std::system_error{errno, std::system_category(), "setrlimit"};
  }
  return limit.rlim_cur;
}

Limit port_limit() {
  const auto range = read_text("/proc/sys/net/ipv4/ip_local_port_range");
  const auto low = parse_number(first_word(range));
  const auto high = parse_number(last_word(range));
  const std::uint64_t ports = low && high && *high >= *low ? *high - *low + 1 : 0;
  return {"ip_local_port_range", ports, ports};
}

void set_memory_aside() {
  constexpr std::size_t enough = std::size_t{2} << 20;  // malloc asks the kernel for 1 MiB at least
  std::free(aside.exchange(std::malloc(enough)));
}

std::optional<Limit> binding_limit(std::error_code error) {
  std::free(aside.exchange(nullptr));
  constexpr double nearly_none = 0.03;
  const auto limits = limits_behind(error);
  const auto least = std::ranges::min_element(limits, {}, share_left);
  if (least != limits.end() && share_left(*least) <= nearly_none) return *least;
  if (error != std::errc::not_enough_memory) return std::nullopt;
  const auto space = std::ranges::find(limits, "RLIMIT_AS", &Limit::name);
  return space == limits.end() ? std::nullopt : std::optional{*space};
}

std::string refusal(std::error_code error, std::uint64_t reached) {
  if (const auto limit = binding_limit(error)) return refusal(limit->name, reached, limit->limit);
  return fmt::format("failed: {} after {}", error.message(), reached);
}

std::string refusal(const std::exception& error) {
  std::error_code code;
  if (const auto* const system = dynamic_cast<const std::system_error*>(&error)) {
    code = system->code();
  } else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    code = std::make_error_code(std::errc::not_enough_memory);
  }
  if (const auto limit = binding_limit(code))
    return refusal(limit->name, limit->used, limit->limit);
  return fmt::format("failed: {}", error.what());
}

std::string refusal(std::string_view limit_name, std::uint64_t reached, std::uint64_t limit) {
  return fmt::format("refused: {} reached={} limit={}", limit_name, reached, limit);
}

}  // namespace harness
