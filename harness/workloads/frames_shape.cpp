// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <fmt/format.h>

#include "harness/compilation.hpp"
#include "harness/contenders.hpp"
#include "harness/row.hpp"
#include "harness/workloads/frames.hpp"

namespace harness {

namespace {

using Local = std::array<char, 1024>;

/// Somebody outside reads and writes these bytes.
void use(Local& local) {
  asm volatile("" : : "r"(local.data()) : "memory");
}

// ---- hand-written futures; their coroutines are in probes/frame.cpp
// ------------------------------

/// Suspends once; the local lives in `poll`, on the worker's stack.
class Dead : stackless::Immovable {
 public:
  using Output = void;

  stackless::Poll<void> poll(stackless::Context& context) {
    Local local{};
    use(local);
    return pause_.poll(context);
  }

 private:
  stackless::Yield pause_;
};

/// The local is needed after the suspension, so it is a member.
class Live : stackless::Immovable {
 public:
  using Output = void;

  stackless::Poll<void> poll(stackless::Context& context) {
    use(local_);
    return pause_.poll(context);
  }

 private:
  Local local_{};
  stackless::Yield pause_;
};

auto live() {
  return Live{};
}
/// One after the other.
auto disjoint() {
  return stackless::sequence(&live, &live);
}
using Disjoint = decltype(disjoint());
using Empty = stackless::Yield;

static_assert(sizeof(Dead) == sizeof(Empty), "what is over is not kept");
static_assert(sizeof(Disjoint) < 2 * sizeof(Local), "the largest state, not the sum");

/// How large it is, once it has been seen to be suspended so often and to end.
template <stackless::FutureFactory Make>
double bytes_of(Make make, unsigned suspensions) {
  const stackless::Waker nobody;
  stackless::Context context{nobody};
  auto future = make();
  unsigned suspended = 0;
  while (future.poll(context).is_pending()) ++suspended;
  if (suspended != suspensions) throw Failure{"wrong: a future was not suspended as it should be"};
  return sizeof future;
}

double future_bytes(std::string_view shape) {
  if (shape == "dead") return bytes_of([] { return Dead{}; }, 1);
  if (shape == "live") return bytes_of(&live, 1);
  return shape == "disjoint" ? bytes_of(&disjoint, 2) : bytes_of(&stackless::yield, 1);
}

// ---- the cell -----------------------------------------------------------------------------------

/// Of the values that are needed at one moment, and of all together.
double live_at_once(std::string_view shape) {
  return shape == "dead" ? 0 : sizeof(Local);
}
double in_all(std::string_view shape) {
  return shape == "disjoint" ? 2 * sizeof(Local) : sizeof(Local);
}

std::map<std::string, double> frame_bytes(Port& port, const Cell& cell) {
  const Compiler compiler{cell.text("compiler")};
  const ScratchFolder folder;
  const auto object = folder.file("frame.o");
  const auto program = folder.file("frame");
  (void)compiler.compile("harness/workloads/probes/frame.cpp",
                         {fmt::format("-O{}", cell.number("optimise"))}, object);
  compiler.link(object, program);
  auto told = told_by(program);
  port.note(compiler_named(told));
  return told;
}

}  // namespace

void run_shape(Port& port, const Cell& cell) {
  const std::string shape = cell.text("shape");
  double bytes = future_bytes(shape);
  double empty = future_bytes("empty");
  if (cell.contender == Coroutines::name) {
    const auto told = frame_bytes(port, cell);
    if (!told.contains(shape) || !told.contains("empty")) {
      return port.failure("failed: the probe did not say how large the frames are");
    }
    bytes = told.at(shape);
    empty = told.at("empty");
  }
  port.result("state_bytes", bytes);
  port.result("kept_bytes", bytes - empty);
  port.result("live_bytes", live_at_once(shape));
  port.result("sum_bytes", in_all(shape));
}

}  // namespace harness
