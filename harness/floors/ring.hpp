// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace harness::floors {

/// A floor that hands a baton round. `pass(hops)` hands it on that many times and returns; the next
/// call goes on where this one stopped. Task 0 has it first; every task counts its visits.
template <class R>
concept Ring = requires(R& ring, const R& looked_at, std::uint64_t hops, std::size_t task) {
  ring.pass(hops);
  { looked_at.tasks() } -> std::convertible_to<std::size_t>;
  { looked_at.visits(task) } -> std::convertible_to<std::uint64_t>;
};

/// Whether each task has been visited as often as its turn has come in `hops` hops.
template <Ring R>
bool nobody_was_left_out(const R& ring, std::uint64_t hops) {
  for (std::size_t task = 0; task < ring.tasks(); ++task) {
    const std::uint64_t turns = hops / ring.tasks() + (task < hops % ring.tasks() ? 1 : 0);
    if (ring.visits(task) != turns) return false;
  }
  return true;
}

}  // namespace harness::floors
