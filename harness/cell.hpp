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
/// The name is the whole specification: a child is told nothing else about what to run.
struct Cell {
  std::string question;
  std::string contender;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< in the order of the name

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise = {}) const;
  /// Throws std::invalid_argument naming the key when the value is no number.
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t otherwise = 0) const;
  /// The same cell with one more parameter at the end of its name.
  [[nodiscard]] Cell with(std::string_view key, std::string_view value) const;

  /// Empty for text that is no row name: a missing or empty segment, a parameter without value, a
  /// key given twice, a character outside [A-Za-z0-9_.@-]. One point has one name: values are
  /// canonical.
  static std::optional<Cell> parse(std::string_view name);

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A value as row names have it: numbers without leading zeros, all else as it is.
std::string canonical(std::string_view value);

/// The whole of `text` as a decimal number; empty when it is none or does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace harness
