// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/switch.hpp"

#include <chrono>
#include <fmt/format.h>

#include "harness/batches.hpp"
#include "harness/floors/blocks.hpp"
#include "harness/floors/context_ring.hpp"
#include "harness/floors/futex_pair.hpp"
#include "harness/floors/inline_ring.hpp"
#include "harness/floors/poll_ring.hpp"
#include "harness/floors/ring.hpp"
#include "harness/floors/system_call.hpp"
#include "harness/floors/yield_pair.hpp"
#include "harness/limits.hpp"
#include "harness/pin.hpp"

namespace harness {

namespace {

/// Times `pass(n)`, which makes n operations, or more, and returns how many; returns their sum.
template <class Pass>
std::uint64_t time_batches(Batches& batches, std::uint64_t operations_per_round, Pass pass) {
  std::uint64_t all = 0;
  std::uint64_t made = 0;
  batches.start();
  do {
    made = pass(batches.rounds() * operations_per_round);
    all += made;
  } while (batches.lap(made, std::chrono::steady_clock::now()));
  return all;
}

/// Ends the cell: as a row with its figures, or as `wrong:`. The counters of io/ see nothing of a
/// floor's system calls, so it says itself how many an operation takes.
void conclude(Port& port, const Batches& batches, std::string_view unit, bool right,
              double system_calls) {
  if (!right) return port.failure("wrong: somebody missed a turn");
  batches.report(port, unit);
  port.result(fmt::format("syscalls_per_{}", unit), system_calls);
}

template <floors::Ring R>
void run_ring(Port& port, R& ring, double system_calls) {
  Batches batches{port.measure_for(), ring.tasks()};
  const std::uint64_t hops = time_batches(batches, ring.tasks(), [&ring](std::uint64_t wanted) {
    ring.pass(wanted);
    return wanted;
  });
  conclude(port, batches, "switch", floors::nobody_was_left_out(ring, hops), system_calls);
}

template <floors::Ring R>
void run_ring_of_tasks(Port& port, const Cell& cell) {
  R ring{static_cast<std::size_t>(cell.number("tasks", 2))};
  run_ring(port, ring, 0);
}

void run_inline(Port& port, const Cell& cell) {
  if (!floors::InlineRing::supported) return port.failure(refusal("x86_64", 0, 0));
  run_ring_of_tasks<floors::InlineRing>(port, cell);
}

void run_futex(Port& port, const Cell& cell) {
  const bool apart = cell.number("cpus", 1) > 1;
  if (apart && allowed_cpus().size() < 2) return port.failure(refusal("cpus", 1, 1));
  floors::FutexPair pair{apart};
  run_ring(port, pair, 2);
}

void run_yield(Port& port, const Cell&) {
  floors::YieldPair pair;
  Batches batches{port.measure_for(), 1};
  const std::uint64_t hops =
      time_batches(batches, 1, [&pair](std::uint64_t wanted) { return pair.pass(wanted); });
  const bool right = pair.visits(0) + pair.visits(1) == hops;
  conclude(port, batches, "switch", right,
           static_cast<double>(pair.calls()) / static_cast<double>(hops));
}

void run_system_call(Port& port, const Cell&) {
  Batches batches{port.measure_for(), 1};
  std::uint64_t right = 0;
  const std::uint64_t calls = time_batches(batches, 1, [&right](std::uint64_t wanted) {
    right += floors::make_system_calls(wanted);
    return wanted;
  });
  conclude(port, batches, "switch", right == calls, 1);
}

void run_allocate(Port& port, const Cell& cell) {
  floors::Blocks blocks{static_cast<std::size_t>(cell.number("alive"))};
  Batches batches{port.measure_for(), 1};
  std::uint64_t lived = 0;
  const std::uint64_t births = time_batches(batches, 1, [&](std::uint64_t wanted) {
    lived += blocks.come_and_go(wanted);
    return wanted;
  });
  conclude(port, batches, "spawn", lived == births, 0);
}

}  // namespace

std::vector<Subject> switch_floor_subjects() {
  return {{"switch", "floor-inline", &run_inline},
          {"switch", "floor-context", &run_ring_of_tasks<floors::ContextRing>},
          {"switch", "floor-poll", &run_ring_of_tasks<floors::PollRing>},
          {"switch", "floor-syscall", &run_system_call},
          {"switch", "floor-futex", &run_futex},
          {"switch", "floor-yield", &run_yield}};
}

std::vector<Subject> spawn_floor_subjects() {
  return {{"spawn", "floor-allocate", &run_allocate}};
}

}  // namespace harness
