// SPDX-License-Identifier: BSL-1.0
#include "harness/proc_files.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/cell.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view blank = " \t\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// A mounted cgroup hierarchy.
struct Hierarchy {
  bool v1;
  fs::path mount_point;
  std::string mounted_root;  ///< the group that the mount shows as its top
};

bool lists(std::string_view comma_separated, std::string_view word) {
  const auto in_commas = [](std::string_view text) {
    return ',' + std::string{text} + ',';
  };
  return in_commas(comma_separated).find(in_commas(word)) != std::string::npos;
}

/// From /proc/self/mountinfo: `35 31 0:32 ROOT MOUNT_POINT OPTIONS … - cgroup cgroup rw,memory`.
std::optional<Hierarchy> find_hierarchy(std::string_view controller) {
  std::ifstream mounts{"/proc/self/mountinfo"};
  std::optional<Hierarchy> unified;
  for (std::string line; std::getline(mounts, line);) {
    const auto separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream place{line.substr(0, separator)};
    std::istringstream kind{line.substr(separator + 3)};
    std::string skip;
    std::string root;
    std::string mount_point;
    std::string type;
    std::string options;
    place >> skip >> skip >> skip >> root >> mount_point;
    kind >> type >> skip >> options;
    if (type == "cgroup" && lists(options, controller)) return Hierarchy{true, mount_point, root};
    if (type == "cgroup2") unified = Hierarchy{false, mount_point, root};
  }
  return unified;
}

/// This process's group, from /proc/self/cgroup: `4:memory:/path` or `0::/path`.
std::string own_group(const Hierarchy& hierarchy, std::string_view controller) {
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = std::string_view{line}.substr(first + 1, second - first - 1);
    if (!(hierarchy.v1 ? lists(controllers, controller) : line.starts_with("0::"))) continue;
    std::string path = line.substr(second + 1);
    if (hierarchy.mounted_root != "/" && path.starts_with(hierarchy.mounted_root)) {
      path.erase(0, hierarchy.mounted_root.size());
    }
    return path;
  }
  return "/";
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::optional<std::uint64_t> read_number(const fs::path& file) {
  return parse_number(trimmed(read_text(file)));
}

Fields read_fields(const fs::path& file) {
  Fields fields;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    const auto end = line.find_first_of(": \t");
    if (end == std::string::npos) continue;
    fields.emplace(line.substr(0, end), trimmed(std::string_view{line}.substr(end + 1)));
  }
  return fields;
}

std::optional<std::uint64_t> field_number(const Fields& fields, std::string_view key) {
  const auto field = fields.find(key);
  return field == fields.end() ? std::nullopt : parse_number(first_word(field->second));
}

std::optional<std::uint64_t> field_bytes(const Fields& fields, std::string_view key) {
  const auto field = fields.find(key);
  if (field == fields.end()) return std::nullopt;
  const auto number = parse_number(first_word(field->second));
  if (!number) return std::nullopt;
  return last_word(field->second) == "kB" ? *number * 1024 : *number;
}

std::string_view first_word(std::string_view text) {
  text = trimmed(text);
  return text.substr(0, text.find_first_of(blank));
}

std::string_view last_word(std::string_view text) {
  text = trimmed(text);
  const auto gap = text.find_last_of(blank);
  return gap == std::string_view::npos ? text : text.substr(gap + 1);
}

std::optional<std::uint64_t> all_threads() {
  const auto text = read_text("/proc/loadavg");
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  return parse_number(text.substr(slash + 1, text.find(' ', slash) - slash - 1));
}

std::optional<std::uint64_t> sockets_of(pid_t process) {
  std::error_code error;
  std::uint64_t sockets = 0;
  for (fs::directory_iterator entry{fmt::format("/proc/{}/fd", process), error}, end;
       !error && entry != end; entry.increment(error)) {
    std::error_code closed_meanwhile;
    const fs::path what = fs::read_symlink(entry->path(), closed_meanwhile);
    if (what.native().starts_with("socket:")) ++sockets;
  }
  return error ? std::nullopt : std::optional{sockets};
}

std::vector<fs::path> own_cgroups(std::string_view controller) {
  std::vector<fs::path> groups;
  const auto hierarchy = find_hierarchy(controller);
  if (!hierarchy) return groups;
  const fs::path own{own_group(*hierarchy, controller)};
  fs::path group = (hierarchy->mount_point / own.relative_path()).lexically_normal();
  if (!group.has_filename()) group = group.parent_path();
  while (group != hierarchy->mount_point && group != group.root_path()) {
    groups.push_back(group);
    group = group.parent_path();
  }
  groups.push_back(hierarchy->mount_point);
  return groups;
}

bool has_v1_hierarchy(std::string_view controller) {
  const auto hierarchy = find_hierarchy(controller);
  return hierarchy && hierarchy->v1;
}

}  // namespace harness
