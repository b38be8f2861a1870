// SPDX-License-Identifier: BSL-1.0
#include "harness/cgroup.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <signal.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/cell.hpp"
#include "harness/proc_files.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "yardstack-";

/// Groups of programs that were killed before they could tidy up: `yardstack-PID-…` without that
/// PID.
void remove_left_over(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry{parent, error}, end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(prefix)) continue;
    const auto pid =
        parse_number(name.substr(prefix.size(), name.find('-', prefix.size()) - prefix.size()));
    if (pid && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH)
      abandoned.push_back(*entry);
  }
  for (const auto& group : abandoned) (void)::rmdir(group.c_str());  // one in use stays
}

constexpr const char* cpu_controller = "cpuacct";

const char* memory_account(Cgroup::Version version) {
  return version == Cgroup::Version::v1 ? "memory.usage_in_bytes" : "memory.stat";
}

const char* cpu_account(Cgroup::Version version) {
  return version == Cgroup::Version::v1 ? "cpuacct.usage" : "cpu.stat";
}

/// The account of the group that this process has been given; empty where it has none.
fs::path own_cpu_account() {
  const auto groups = own_cgroups(cpu_controller);
  if (groups.empty() || !groups.front().filename().string().starts_with(prefix)) return {};
  const bool v1 = has_v1_hierarchy(cpu_controller);
  return groups.front() / cpu_account(v1 ? Cgroup::Version::v1 : Cgroup::Version::v2);
}

}  // namespace

std::optional<Cgroup> Cgroup::create(Account account, const std::string& name) {
  const bool of_memory = account == Account::memory;
  const char* const controller = of_memory ? "memory" : cpu_controller;
  const auto version = has_v1_hierarchy(controller) ? Version::v1 : Version::v2;
  const char* const evidence = of_memory ? memory_account(version) : cpu_account(version);
  for (const auto& parent : own_cgroups(controller)) {
    remove_left_over(parent);
    std::error_code error;
    const fs::path folder = parent / name;
    if (!fs::create_directory(folder, error)) continue;
    Cgroup group{version, folder};
    // In the unified hierarchy a group has only the controllers that its parent hands down.
    const bool scheduled = !of_memory && (fs::exists(folder / "cpu.shares", error) ||
                                          fs::exists(folder / "cpu.weight", error));
    if (fs::exists(folder / evidence, error) && !scheduled) return group;
  }
  return std::nullopt;
}

Cgroup::Cgroup(Version version, fs::path folder) : version_{version}, folder_{std::move(folder)} {}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : version_{other.version_}, folder_{std::move(other.folder_)} {
  other.folder_.clear();
}

Cgroup::~Cgroup() {
  using namespace std::chrono_literals;
  // A group stays busy for a moment after its last process has been reaped.
  for (int attempt = 0; !folder_.empty() && attempt < 200; ++attempt) {
    if (::rmdir(folder_.c_str()) == 0 || errno != EBUSY) return;
    std::this_thread::sleep_for(5ms);
  }
}

GroupClock::GroupClock() {
  if (const auto file = own_cpu_account(); !file.empty()) {
    account_ = io::Descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  }
}

// `NANOSECONDS` in v1; in v2 `usage_usec MICROSECONDS` comes first.
std::optional<std::chrono::nanoseconds> GroupClock::now() const noexcept {
  if (!account_) return std::nullopt;
  std::array<char, 64> text{};
  const ssize_t length = ::pread(account_.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  constexpr std::string_view unified = "usage_usec ";
  std::string_view number{text.data(), static_cast<std::size_t>(length)};
  const bool in_microseconds = number.starts_with(unified);
  if (in_microseconds) number.remove_prefix(unified.size());
  std::int64_t value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return std::chrono::nanoseconds{in_microseconds ? value * 1000 : value};
}

std::chrono::nanoseconds used_between(const CpuTime& from, const CpuTime& to) noexcept {
  const auto of_process = to.process - from.process;
  if (!from.group || !to.group) return of_process;
  return std::max(of_process, *to.group - *from.group);
}

}  // namespace harness
