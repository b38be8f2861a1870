// SPDX-License-Identifier: BSL-1.0
#include "harness/cell.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace harness {

namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  });
}

/// Takes the text up to the next `/` off the front of `rest`.
std::string_view next_segment(std::string_view& rest) {
  const auto slash = rest.find('/');
  const auto segment = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  return segment;
}

const std::string* find(const Cell& cell, std::string_view key) {
  for (const auto& [name, value] : cell.parameters) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace

std::string Cell::name() const {
  std::string name = question + '/' + contender;
  for (const auto& [key, value] : parameters) name += '/' + key + ':' + value;
  return name;
}

bool Cell::has(std::string_view key) const {
  return find(*this, key) != nullptr;
}

std::string Cell::text(std::string_view key, std::string_view otherwise) const {
  const std::string* value = find(*this, key);
  return value != nullptr ? *value : std::string{otherwise};
}

std::uint64_t Cell::number(std::string_view key, std::uint64_t otherwise) const {
  const std::string* value = find(*this, key);
  if (value == nullptr) return otherwise;
  if (const auto number = parse_number(*value)) return *number;
  throw std::invalid_argument(std::string{key} + ":" + *value + " is no number");
}

Cell Cell::with(std::string_view key, std::string_view value) const {
  Cell extended = *this;
  extended.parameters.emplace_back(key, value);
  return extended;
}

std::optional<Cell> Cell::parse(std::string_view name) {
  if (name.empty() || name.back() == '/') return std::nullopt;
  Cell cell;
  cell.question = next_segment(name);
  cell.contender = next_segment(name);
  if (!is_word(cell.question) || !is_word(cell.contender)) return std::nullopt;
  while (!name.empty()) {
    const auto segment = next_segment(name);
    const auto colon = segment.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto key = segment.substr(0, colon);
    const auto value = segment.substr(colon + 1);
    if (!is_word(key) || !is_word(value) || cell.has(key)) return std::nullopt;
    cell.parameters.emplace_back(key, canonical(value));
  }
  return cell;
}

std::string canonical(std::string_view value) {
  const auto number = parse_number(value);
  return number ? std::to_string(*number) : std::string{value};
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace harness
