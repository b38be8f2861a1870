// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string>

#include "harness/contenders.hpp"
#include "harness/row.hpp"

namespace harness {

/// Whether tasks of this backend have stacks of their own.
template <class B>
concept HasStacks = requires(typename B::Options options) {
  options.stack_bytes;
};

/// Whether they come from our pool.
template <class B>
concept HasStackPool = std::same_as<typename B::Options, stackful::Options>;

namespace options_of_cells {

inline void set_guard(threads::Options& options, const std::string& guard) {
  if (guard == "madvise") throw Failure{"refused: threads have no guard madvise"};
  if (guard == "none") options.guard_bytes = 0;
}

inline void set_guard(stackful::Options& options, const std::string& guard) {
  if (guard == "madvise" && !stackful::lightweight_guards_work()) {
    throw Failure{"refused: this kernel has no lightweight guards"};
  }
  for (const auto strategy :
       {stackful::Guard::none, stackful::Guard::mprotect, stackful::Guard::madvise}) {
    if (stackful::name(strategy) == guard) options.guard = strategy;
  }
}

}  // namespace options_of_cells

/// For the label: the size and the guard in force; empty for tasks without stacks.
inline std::string describe_stacks(const threads::Options& options) {
  return fmt::format("stack {} guard {}", options.stack_bytes,
                     options.guard_bytes > 0 ? "mprotect" : "none");
}
inline std::string describe_stacks(const stackful::Options& options) {
  return fmt::format("stack {} guard {}", options.stack_bytes, stackful::name(options.guard));
}
inline std::string describe_stacks(const stackless::Options&) {
  return {};
}

/// The options that a row asks for by /stack:BYTES, /guard:none|mprotect|madvise, /colour:off and
/// /pool:keep|trim. Throws Failure (`refused: …`) for what this contender, or this kernel, does not
/// have.
template <class B>
typename B::Options options_of(const Cell& cell) {
  typename B::Options options{};
  for (const auto* key : {"colour", "pool"}) {
    if (!HasStackPool<B> && cell.has(key)) {
      throw Failure{fmt::format("refused: {} have no stack pool, so no {}", cell.contender, key)};
    }
  }
  if constexpr (HasStackPool<B>) {
    options.colouring = cell.text("colour") != "off";
    if (cell.text("pool") == "trim") options.recycling = stackful::Recycling::trim;
  }
  if constexpr (HasStacks<B>) {
    options.stack_bytes = static_cast<std::size_t>(cell.number("stack", options.stack_bytes));
    if (cell.has("guard")) options_of_cells::set_guard(options, cell.text("guard"));
  } else if (cell.has("stack") || cell.has("guard")) {
    throw Failure{fmt::format("refused: {} have no stack parameter", cell.contender)};
  }
  return options;
}

}  // namespace harness
