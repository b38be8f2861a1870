// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/workloads/compose.hpp"
#include "harness/workloads/operation.hpp"

namespace harness {

namespace {

/// One of two tasks that hand over to each other, through the room's own events.
template <class B>
struct Side {
  Side(typename B::Runtime& runtime, bool is_first) : mine{runtime}, first{is_first} {}

  /// Called by the body before its first wait.
  void begin(std::uint64_t suspensions) {
    left = suspensions;
    if (first) other->mine.set();
  }
  /// Called by the body after each wait; whether there is another.
  bool step() {
    ++steps;
    if (--left > 0 || !first) other->mine.set();
    return left > 0;
  }

  typename B::Event mine;
  bool first;
  Side* other = nullptr;
  std::uint64_t left = 0;
  std::uint64_t steps = 0;
};

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
class Walk : stackless::Immovable {
 public:
  using Output = void;

  Walk(Side<B>& side, std::uint64_t suspensions) noexcept
      : side_{&side}, suspensions_{suspensions} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    if (!begun_) {
      begun_ = true;
      side_->begin(suspensions_);
    }
    while (side_->mine.poll_wait(context).is_ready()) {
      if (!side_->step()) return stackless::ready;
    }
    return stackless::pending;
  }

 private:
  Side<B>* side_;
  std::uint64_t suspensions_;
  bool begun_ = false;
};

template <class B>
stackless::Async<void> walk_coroutine(Side<B>& side, std::uint64_t suspensions) {
  side.begin(suspensions);
  do {
    co_await side.mine.wait();
  } while (side.step());
}

/// Each wait is begun by the continuation of the one before, so that no chain of promises grows.
template <class B>
void wait_callback(Side<B>& side) {
  static_cast<void>(side.mine.wait().then([&side] {
    if (side.step()) wait_callback(side);
  }));
}

template <class B>
void walk_callback(Side<B>& side, std::uint64_t suspensions) {
  side.begin(suspensions);
  wait_callback(side);
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, Side<typename C::Backend>& side,
                      std::uint64_t suspensions) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&] { return Walk<B>{side, suspensions}; });
  } else if constexpr (C::dialect == Dialect::coroutine) {
    return runtime.spawn([&] { return walk_coroutine(side, suspensions); });
  } else {
    return runtime.spawn([&] { walk_callback(side, suspensions); });
  }
}

template <class C>
void run(Port& port, std::uint64_t suspensions) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Side<B> first{runtime, true};
  Side<B> second{runtime, false};
  first.other = &second;
  second.other = &first;
  const auto operation = [&] {
    first.steps = second.steps = 0;
    // The second waits already when the first hands over: every wait suspends.
    const bool spawned =
        !spawn<C>(runtime, second, suspensions) && !spawn<C>(runtime, first, suspensions);
    runtime.run();
    return spawned && first.left == 0 && second.left == 0;
  };
  Batches batches{port.measure_for(), 2 * suspensions};
  if (!time_batches(batches, operation)) return port.failure("wrong: a task was not resumed");
  batches.report(port, "suspension");
  const auto all = static_cast<double>(2 * suspensions);
  report_bytes(port, "suspension", all, operation);
  port.result("steps_per_suspension", static_cast<double>(first.steps + second.steps) / all);
}

}  // namespace

void run_suspensions(Port& port, const Cell& cell) {
  with_contender<Composers>(cell.contender,
                            [&]<class C>() { run<C>(port, cell.number("suspensions")); });
}

}  // namespace harness
