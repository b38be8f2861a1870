// SPDX-License-Identifier: BSL-1.0
#include "harness/cgroup.hpp"

#include <cerrno>
#include <chrono>
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

/// Groups of programs that were killed before they could tidy up: `yardstack-PID-…` without that
/// PID.
void remove_left_over(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry{parent, error}, end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    constexpr std::string_view prefix = "yardstack-";
    if (!name.starts_with(prefix)) continue;
    const auto pid =
        parse_number(name.substr(prefix.size(), name.find('-', prefix.size()) - prefix.size()));
    if (pid && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH)
      abandoned.push_back(*entry);
  }
  for (const auto& group : abandoned) (void)::rmdir(group.c_str());  // one in use stays
}

}  // namespace

std::optional<MemoryCgroup> MemoryCgroup::create(const std::string& name) {
  const auto version = has_v1_hierarchy("memory") ? Version::v1 : Version::v2;
  const char* evidence = version == Version::v1 ? "memory.usage_in_bytes" : "memory.stat";
  for (const auto& parent : own_cgroups("memory")) {
    remove_left_over(parent);
    std::error_code error;
    const fs::path folder = parent / name;
    if (!fs::create_directory(folder, error)) continue;
    MemoryCgroup group{version, folder};
    // In the unified hierarchy a group has only the controllers that its parent hands down.
    if (fs::exists(folder / evidence, error)) return group;
  }
  return std::nullopt;
}

MemoryCgroup::MemoryCgroup(Version version, fs::path folder)
    : version_{version}, folder_{std::move(folder)} {}

MemoryCgroup::MemoryCgroup(MemoryCgroup&& other) noexcept
    : version_{other.version_}, folder_{std::move(other.folder_)} {
  other.folder_.clear();
}

MemoryCgroup::~MemoryCgroup() {
  using namespace std::chrono_literals;
  // A group stays busy for a moment after its last process has been reaped.
  for (int attempt = 0; !folder_.empty() && attempt < 200; ++attempt) {
    if (::rmdir(folder_.c_str()) == 0 || errno != EBUSY) return;
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace harness
