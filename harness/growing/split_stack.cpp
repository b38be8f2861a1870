// SPDX-License-Identifier: BSL-1.0
// yardstack-split-stack: the subject of `stacks/plain-stack/call:…` and
// `stacks/split-stack/call:…`. A program of its own, because split stacks are a matter of linking,
// too: the linker (gold) marks calls of code without checks, and has them ask for a segment large
// enough for anything.
#include <array>
#include <cstdint>

#include "harness/batches.hpp"
#include "harness/growing/calls.hpp"
#include "harness/proc_files.hpp"
#include "harness/subject.hpp"

namespace {

using namespace harness;
using growing::Calls;
using growing::Distance;

/// One of the two builds of the same calls.
struct Build {
  Calls near_calls;
  Calls foreign_calls;
  std::uint64_t (*below)(std::uint64_t, Calls, std::uint64_t);
  Distance (*last_distance)();
};
constexpr Build plain{growing::plain::near_calls, growing::plain::foreign_calls,
                      growing::plain::below, growing::plain::last_distance};
constexpr Build split{growing::split::near_calls, growing::split::foreign_calls,
                      growing::split::below, growing::split::last_distance};

std::uint64_t sum_to(std::uint64_t calls) {
  return calls * (calls + 1) / 2;
}

double virtual_bytes() {
  return static_cast<double>(field_bytes(read_fields("/proc/self/status"), "VmSize").value_or(0));
}

/// Further down than any first segment reaches.
constexpr std::uint64_t too_deep = 8192;

/// The level of an edge is looked for in this very function: its frame is part of how deep a call
/// is.
void run(Port& port, const Cell& cell) {
  const Build& build = cell.contender == "split-stack" ? split : plain;
  const bool is_foreign = cell.text("call") == "foreign";
  const Calls calls = is_foreign ? build.foreign_calls : build.near_calls;
  const double before = virtual_bytes();

  // The level at which a segment has room for the loop, but not for the function it calls. Twice in
  // a row, because the first crossing moves the end of the thread's own segment.
  std::uint64_t level = 0;
  unsigned crossings = cell.text("call") == "edge" ? 0 : 2;
  while (crossings != 2 && level < too_deep) {
    if (crossings == 0) ++level;
    split.below(level, split.near_calls, 1);
    crossings = split.last_distance().crosses_an_edge() ? crossings + 1 : 0;
  }
  if (crossings != 2) return port.failure("failed: the first segment does not end");

  Batches batches{port.measure_for(), 1};
  bool right = true;
  batches.start();
  do {
    const std::uint64_t expected = sum_to(batches.rounds()) + (is_foreign ? batches.rounds() : 0);
    right = build.below(level, calls, batches.rounds()) == expected && right;
  } while (batches.lap());
  if (!right) return port.failure("wrong: the calls do not add up");
  port.result("reserved_bytes", virtual_bytes() - before);
  port.result("edges_per_call", build.last_distance().crosses_an_edge() ? 1 : 0);
  batches.report(port, "call", "own_syscalls");  // nobody counts those of the compiler's library
}

}  // namespace

int main(int argc, char** argv) {
  const std::array<Subject, 2> subjects{
      {{"stacks", "plain-stack", &run}, {"stacks", "split-stack", &run}}};
  return run_subject(argc, argv, subjects);
}
