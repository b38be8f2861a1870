// SPDX-License-Identifier: BSL-1.0
#include "harness/row.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace harness {

namespace {

/// `sorted` must not be empty.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

bool Failure::is_defect() const {
  const std::string_view text = what();
  return !text.starts_with("refused:") && !text.starts_with("interrupted:");
}

Quartiles quartiles(std::span<const double> values) {
  std::vector<double> sorted{values.begin(), values.end()};
  std::erase_if(sorted, [](double value) { return !std::isfinite(value); });
  if (sorted.empty()) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

void Row::set(std::string_view counter, double value) {
  std::erase_if(counters_, [counter](const auto& known) { return known.first == counter; });
  if (std::isfinite(value)) counters_.emplace_back(counter, value);
}

void Row::set_batches(std::string_view counter, std::span<const double> values) {
  const auto [lower, median, upper] = quartiles(values);
  set(counter, median);
  if (values.size() < 2) return;
  set(fmt::format("{}_q1", counter), lower);
  set(fmt::format("{}_q3", counter), upper);
  set(fmt::format("{}_batches", counter), static_cast<double>(values.size()));
}

void Row::set_all(const Results& results) {
  for (const auto& [counter, values] : results) set_batches(counter, values);
}

std::optional<double> Row::get(std::string_view counter) const {
  for (const auto& [name, value] : counters_) {
    if (name == counter) return value;
  }
  return std::nullopt;
}

void Row::doubt(std::string_view reason, std::string_view counter) {
  auto known = std::find_if(doubts_.begin(), doubts_.end(),
                            [reason](const auto& doubt) { return doubt.first == reason; });
  if (known == doubts_.end()) {
    known = doubts_.insert(doubts_.end(), {std::string{reason}, std::vector<std::string>{}});
  }
  auto& counters = known->second;
  if (std::find(counters.begin(), counters.end(), counter) == counters.end()) {
    counters.emplace_back(counter);
  }
}

bool Row::doubted(std::string_view counter) const {
  return std::any_of(doubts_.begin(), doubts_.end(), [counter](const auto& doubt) {
    return std::find(doubt.second.begin(), doubt.second.end(), counter) != doubt.second.end();
  });
}

void Row::note(std::string_view text) {
  notes_.emplace_back(text);
}

std::string Row::label() const {
  std::vector<std::string> parts;
  for (const auto& [reason, counters] : doubts_) {
    parts.push_back(fmt::format("{}: {}", reason, fmt::join(counters, " ")));
  }
  parts.insert(parts.end(), notes_.begin(), notes_.end());
  return fmt::format("{}", fmt::join(parts, "; "));
}

void Row::publish(benchmark::State& state, std::string_view primary) const {
  for (const auto& [counter, value] : counters_) state.counters[counter] = value;
  const std::string_view judged = primary_.empty() ? primary : std::string_view{primary_};
  state.counters["valid"] = get(judged).has_value() && !doubted(judged) ? 1 : 0;
  state.SetLabel(label());
}

}  // namespace harness
