// SPDX-License-Identifier: BSL-1.0
#include "harness/load/backlog.hpp"

#include <sstream>
#include <string>

#include "harness/proc_files.hpp"

namespace harness::load {

std::optional<std::uint64_t> turned_away() {
  return turned_away(read_text("/proc/net/netstat"));
}

// Pairs of lines, `TcpExt: NAME NAME …` and `TcpExt: VALUE VALUE …`.
std::optional<std::uint64_t> turned_away(std::string_view netstat) {
  std::istringstream lines{std::string{netstat}};
  std::string names;
  std::string values;
  while (std::getline(lines, names) && std::getline(lines, values)) {
    if (!names.starts_with("TcpExt:")) continue;
    std::istringstream each_name{names};
    std::istringstream each_value{values};
    std::string name;
    std::string kind;
    std::uint64_t value = 0;
    each_name >> kind;
    each_value >> kind;
    while (each_name >> name && each_value >> value) {
      if (name == "ListenDrops") return value;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace harness::load
