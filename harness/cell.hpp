// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {

/// One point of measurement, named like its row: `switch/fibers/tasks:2/via:yield`.
/// The name is the whole specification: a child is told nothing else.
struct Cell {
  std::string question;
  std::string contender;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< in the order of the name

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise = {}) const;
  /// Throws std::invalid_argument naming the key when the value is no number.
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t otherwise = 0) const;

  static std::optional<Cell> parse(std::string_view name);
};

}  // namespace harness
