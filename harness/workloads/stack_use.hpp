// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <system_error>

#include "harness/subject.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/own_stack.hpp"
#include "stackful/backend.hpp"

namespace harness {

/// How a pool's stacks have been used: the deepest of them, the one that had the least left, and
/// what all hold in memory. Not the first of a pool, which is that of whoever spawned the tasks.
struct StackUse {
  std::size_t stacks = 0;
  std::size_t high_water_bytes = 0;
  std::size_t headroom_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t resident_bytes = 0;

  void add(const stackful::Stack& stack, const stackful::HighWater& used) {
    ++stacks;
    high_water_bytes = std::max(high_water_bytes, used.bytes);
    headroom_bytes = std::min(headroom_bytes, stack.bytes() - used.bytes);
    resident_bytes += used.resident_bytes;
  }
};

/// By resident pages (mincore), or to the byte where the pool paints its stacks; pages that were
/// given back to the kernel do not count. Reports `high_water_bytes` and `headroom_bytes`.
inline StackUse report_stack_use(Port& port, const stackful::StackPool& pool,
                                 bool painted = false) {
  StackUse use;
  std::error_code error;
  bool first = true;
  pool.for_each([&](const stackful::Stack& stack) {
    if (error) return;
    const auto used = painted ? stackful::HighWater{stackful::high_water_by_paint(stack), 0}
                              : stackful::high_water_by_pages(stack, error);
    if (!first) use.add(stack, used);
    first = false;
  });
  if (error) port.give_up("failed: mincore: " + error.message());
  if (use.stacks == 0) return use;
  port.result("high_water_bytes", static_cast<double>(use.high_water_bytes));
  port.result("headroom_bytes", static_cast<double>(use.headroom_bytes));
  return use;
}

/// Of tasks that have ended: whether they had stacks of their own, how these are made, and, where a
/// pool knows, how they were used.
template <class B>
void report_stacks(Port& port, const typename B::Runtime& runtime,
                   const typename B::Options& options) {
  port.result("own_stacks", HasStacks<B> ? 1 : 0);
  if (const auto stacks = describe_stacks(options); !stacks.empty()) port.note(stacks);
  if constexpr (HasStackPool<B>) report_stack_use(port, pool_of(runtime));
}

}  // namespace harness
