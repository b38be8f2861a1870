// SPDX-License-Identifier: BSL-1.0
// A program without C++ library, exceptions, RTTI and allocator: linking it proves that the core
// needs none of them, running it that futures compose and run in a static arena. The exit status is
// the line of the first expectation that failed.
#if __STDC_HOSTED__
#error "to be compiled freestanding"
#endif

#include <cstddef>

#include "stackless/fixed_executor.hpp"
#include "stackless/join.hpp"
#include "stackless/join_each.hpp"
#include "stackless/map.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/scope_guard.hpp"
#include "stackless/select.hpp"
#include "stackless/sequence.hpp"
#include "stackless/then.hpp"

extern "C" void* malloc(std::size_t) {
  __builtin_trap();
}

namespace {

using namespace stackless;

int first_failure = 0;
#define EXPECT(condition) \
  if (!(condition) && first_failure == 0) first_failure = __LINE__

/// A line that another party pulls: what an interrupt would be.
struct Line {
  bool pulled = false;
  Waker waiting;

  void pull() {
    pulled = true;
    waiting.wake();
  }
  auto wait() {
    return poll_fn([this](Context& context) -> Poll<> {
      if (pulled) return ready;
      waiting.clone_from(context.waker());
      return pending;
    });
  }
};

auto step(int value) {
  return poll_fn([value, first = true](Context& context) mutable -> Poll<int> {
    if (!first) return value;
    first = false;
    context.waker().wake_by_ref();
    return pending;
  });
}

struct Counts {
  int sum = 0;
  int cleaned = 0;
  int children = 0;
};

auto compute(Counts& counts) {
  return finally(
      [&] {
        return map(
            [] {
              return then([] { return join([] { return step(1); }, [] { return step(2); }); },
                          [](auto both) { return step(std::get<0>(both) + std::get<1>(both)); });
            },
            [&](int value) { counts.sum += value; });
      },
      [&] { ++counts.cleaned; });
}

auto race(Counts& counts, Line& never) {
  return map(
      [&] {
        return sequence(
            [] { return step(0); },
            [&] { return select([&] { return never.wait(); }, [] { return step(4); }); });
      },
      [&](auto won) { counts.sum += won.index() == 1 ? 4 : 0; });
}

FixedExecutor<4, 256> executor;
Line lines[3];
Line never;
JoinBlock<decltype(never.wait()), 3> block;
Counts counts;

void run() {
  while (executor.poll_woken()) {
  }
}

}  // namespace

extern "C" int run_in_arena() {
  EXPECT(executor.spawn([] { return compute(counts); }));
  EXPECT(executor.spawn([] { return race(counts, never); }));
  EXPECT(executor.spawn([] {
    return join_each(
        block, 3, [](std::size_t line) { return lines[line].wait(); },
        [](std::size_t, Unit) { ++counts.children; });
  }));
  EXPECT(counts.sum == 0);  // lazy
  run();
  EXPECT(counts.sum == 3 + 4);
  EXPECT(counts.cleaned == 1);
  EXPECT(executor.live_tasks() == 1);
  for (Line& line : lines) {
    line.pull();
    run();
  }
  EXPECT(counts.children == 3);
  EXPECT(executor.live_tasks() == 0);
  EXPECT(!block.in_use());
  const auto spawn_waiting = [] {
    return executor.spawn([] { return never.wait(); });
  };
  for (int task = 0; task < 3; ++task) EXPECT(spawn_waiting());
  EXPECT(!spawn_waiting());  // the line still has a waker of the race: its slot is kept
  never.waiting.reset();
  EXPECT(spawn_waiting());
  EXPECT(!spawn_waiting());  // full
  return first_failure;
}
