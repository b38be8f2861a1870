// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/heap.hpp"
#include "harness/workloads/compose.hpp"
#include "harness/workloads/operation.hpp"

namespace harness {

namespace {

/// All the memory there is: known when the program is linked.
constexpr std::size_t tasks = 4;
stackless::FixedExecutor<tasks, 256> executor;

/// A value that comes at the second poll.
auto late(std::uint64_t value) {
  return stackless::poll_fn(
      [value, first = true](stackless::Context& context) mutable -> stackless::Poll<std::uint64_t> {
        if (!first) return value;
        first = false;
        context.waker().wake_by_ref();
        return stackless::pending;
      });
}

/// Two at once, then one more, then the sum.
auto add_up(std::uint64_t& sum) {
  return stackless::map(
      [] {
        return stackless::then(
            [] { return stackless::join([] { return late(1); }, [] { return late(2); }); },
            [](auto both) { return late(std::get<0>(both) + std::get<1>(both)); });
      },
      [&sum](std::uint64_t value) { sum += value; });
}

bool run_all() {
  std::uint64_t sum = 0;
  bool spawned = true;
  for (std::size_t task = 0; task < tasks; ++task) {
    spawned = executor.spawn([&sum] { return add_up(sum); }) && spawned;
  }
  while (executor.poll_woken()) {
  }
  return spawned && sum == 3 * tasks && executor.live_tasks() == 0;
}

}  // namespace

void run_arena(Port& port, const Cell&) {
  Batches batches{port.measure_for(), tasks};
  // Forbidden, and so counted from before the first operation on.
  const auto calls = allocations();
  const double heap = heap_bytes();
  if (!time_batches(batches, &run_all))
    return port.failure("wrong: a sum is not what it has to be");
  const double grown = heap_bytes() - heap;
  const auto calls_then = allocations();
  batches.report(port, "op");
  if (calls) port.result("allocator_calls", static_cast<double>(*calls_then - *calls));
  port.result("heap_bytes_grown", grown);
}

}  // namespace harness
