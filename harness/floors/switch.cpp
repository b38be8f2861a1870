// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/switch.hpp"

#include <chrono>
#include <fmt/format.h>

#include "harness/batches.hpp"
#include "harness/floors/blocks.hpp"
#include "harness/floors/calls.hpp"
#include "harness/floors/context_ring.hpp"
#include "harness/floors/futex_pair.hpp"
#include "harness/floors/inline_ring.hpp"
#include "harness/floors/poll_ring.hpp"
#include "harness/floors/ring.hpp"
#include "harness/floors/system_call.hpp"
#include "harness/floors/waker_ring.hpp"
#include "harness/floors/yield_pair.hpp"
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
/// floor's system calls, so it says itself how many a switch takes.
void conclude(Port& port, const Batches& batches, bool right, double system_calls) {
  if (!right) return port.failure("wrong: somebody missed a turn");
  batches.report(port, "switch");
  port.result("syscalls_per_switch", system_calls);
}

double each(std::uint64_t calls, std::uint64_t operations) {
  return static_cast<double>(calls) / static_cast<double>(operations);
}

template <floors::Ring R>
void run_ring(Port& port, R& ring) {
  Batches batches{port.measure_for(), ring.tasks()};
  const std::uint64_t hops = time_batches(batches, ring.tasks(), [&ring](std::uint64_t wanted) {
    ring.pass(wanted);
    return wanted;
  });
  double system_calls = 0;
  if constexpr (requires { ring.calls(); }) system_calls = each(ring.calls(), hops);
  conclude(port, batches, floors::nobody_was_left_out(ring, hops), system_calls);
}

/// For floors that know one CPU only: /cpus:2 would be the same figure under another name.
template <void (*run)(Port&, const Cell&)>
void run_on_one_cpu(Port& port, const Cell& cell) {
  if (cell.number("cpus", 1) > 1) {
    return port.failure(fmt::format("refused: {} knows one CPU only", cell.contender));
  }
  run(port, cell);
}

template <floors::Ring R>
void run_ring_of_tasks(Port& port, const Cell& cell) {
  R ring{static_cast<std::size_t>(cell.number("tasks", 2))};
  run_ring(port, ring);
}

void run_inline(Port& port, const Cell& cell) {
  if (!floors::InlineRing::supported)
    return port.failure("refused: floor-inline is written for x86_64");
  run_ring_of_tasks<floors::InlineRing>(port, cell);
}

void run_futex(Port& port, const Cell& cell) {
  const bool apart = cell.number("cpus", 1) > 1;
  if (apart && allowed_cpus().size() < 2) {
    return port.failure("refused: two CPUs are needed, one is allowed");
  }
  floors::FutexPair pair{apart};
  run_ring(port, pair);
}

void run_yield(Port& port, const Cell&) {
  floors::YieldPair pair;
  Batches batches{port.measure_for(), 1};
  const std::uint64_t hops =
      time_batches(batches, 1, [&pair](std::uint64_t wanted) { return pair.pass(wanted); });
  const bool right = pair.visits(0) + pair.visits(1) == hops;
  conclude(port, batches, right, each(pair.calls(), hops));
}

void run_system_call(Port& port, const Cell&) {
  Batches batches{port.measure_for(), 1};
  std::uint64_t right = 0;
  const std::uint64_t calls = time_batches(batches, 1, [&right](std::uint64_t wanted) {
    right += floors::make_system_calls(wanted);
    return wanted;
  });
  conclude(port, batches, right == calls, 1);
}

void run_calls(Port& port, const Cell& cell) {
  const auto levels = static_cast<std::size_t>(cell.number("levels"));
  Batches batches{port.measure_for(), 1};
  std::uint64_t came_back = 0;
  const std::uint64_t descents = time_batches(batches, 1, [&](std::uint64_t wanted) {
    for (std::uint64_t i = 0; i < wanted; ++i) {
      came_back += floors::go_down_and_come_back<floors::one_more>(0, levels);
    }
    return wanted;
  });
  conclude(port, batches, came_back == descents * levels, 0);
}

void run_allocate(Port& port, const Cell& cell) {
  floors::Blocks blocks{static_cast<std::size_t>(cell.number("alive"))};
  Batches batches{port.measure_for(), 1};
  std::uint64_t lived = 0;
  const std::uint64_t births = time_batches(batches, 1, [&](std::uint64_t wanted) {
    lived += blocks.come_and_go(wanted);
    return wanted;
  });
  if (lived != births) return port.failure("wrong: a block did not hold what was written");
  batches.report(port, "spawn", "event_syscalls");
}

}  // namespace

std::vector<Subject> switch_floor_subjects() {
  return {{"switch", "floor-inline", &run_on_one_cpu<run_inline>},
          {"switch", "floor-context", &run_on_one_cpu<run_ring_of_tasks<floors::ContextRing>>},
          {"switch", "floor-poll", &run_on_one_cpu<run_ring_of_tasks<floors::PollRing>>},
          {"switch", "floor-poll-waker", &run_on_one_cpu<run_ring_of_tasks<floors::WakerRing>>},
          {"switch", "floor-syscall", &run_on_one_cpu<run_system_call>},
          {"switch", "floor-futex", &run_futex},
          {"switch", "floor-yield", &run_on_one_cpu<run_yield>}};
}

std::vector<Subject> depth_floor_subjects() {
  return {{"depth", "floor-calls", &run_calls}};
}

std::vector<Subject> spawn_floor_subjects() {
  return {{"spawn", "floor-allocate", &run_allocate}};
}

}  // namespace harness
