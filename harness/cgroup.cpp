// SPDX-License-Identifier: BSL-1.0
#include "harness/cgroup.hpp"

#include <cerrno>
#include <chrono>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/cell.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

struct Hierarchy {
  MemoryCgroup::Version version;
  fs::path mount_point;
  std::string mounted_root;  ///< the group that the mount shows as its top
};

bool lists_memory(std::string_view comma_separated) {
  return (',' + std::string{comma_separated} + ',').find(",memory,") != std::string::npos;
}

/// The mounted hierarchy that has the memory controller, from /proc/self/mountinfo:
/// `35 31 0:32 ROOT MOUNT_POINT OPTIONS … - cgroup cgroup rw,memory`.
std::optional<Hierarchy> find_hierarchy() {
  std::ifstream mounts{"/proc/self/mountinfo"};
  std::optional<Hierarchy> unified;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields{line};
    std::string skip;
    std::string root;
    std::string mount_point;
    fields >> skip >> skip >> skip >> root >> mount_point;
    while (fields >> skip && skip != "-") {
    }
    std::string type;
    std::string source;
    std::string options;
    fields >> type >> source >> options;
    if (type == "cgroup" && lists_memory(options)) {
      return Hierarchy{MemoryCgroup::Version::v1, mount_point, root};
    }
    if (type == "cgroup2") unified = Hierarchy{MemoryCgroup::Version::v2, mount_point, root};
  }
  return unified;
}

/// This process's group in the hierarchy, from /proc/self/cgroup: `4:memory:/path` or `0::/path`.
fs::path own_group(const Hierarchy& hierarchy) {
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view{line}.substr(first + 1, second - first - 1);
    const bool mine = hierarchy.version == MemoryCgroup::Version::v1 ? lists_memory(controllers)
                                                                     : line.starts_with("0::");
    if (!mine) continue;
    std::string path = line.substr(second + 1);
    if (hierarchy.mounted_root != "/" && path.starts_with(hierarchy.mounted_root)) {
      path.erase(0, hierarchy.mounted_root.size());
    }
    return (hierarchy.mount_point / fs::path{path}.relative_path()).lexically_normal();
  }
  return hierarchy.mount_point;
}

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
  const auto hierarchy = find_hierarchy();
  if (!hierarchy) return std::nullopt;
  const char* evidence =
      hierarchy->version == Version::v1 ? "memory.usage_in_bytes" : "memory.stat";
  for (fs::path parent = own_group(*hierarchy);; parent = parent.parent_path()) {
    remove_left_over(parent);
    const fs::path folder = parent / name;
    std::error_code error;
    if (fs::create_directory(folder, error)) {
      MemoryCgroup group{hierarchy->version, folder};
      if (fs::exists(folder / evidence, error)) return group;
    }
    if (parent == hierarchy->mount_point || parent == parent.root_path()) return std::nullopt;
  }
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
