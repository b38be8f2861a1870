// SPDX-License-Identifier: BSL-1.0
#include <deque>
#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/cancel.hpp"
#include "harness/workloads/timer_turnover.hpp"
#include "io/timing_wheel.hpp"

namespace harness {

namespace {

struct InFutures {
  static stackless::Sleep sleep(io::TimePoint deadline) { return stackless::sleep_until(deadline); }
};
/// Each in a frame of its own, on the heap: 160 bytes a timer beside a future's 48 (GCC 12). Of
/// what taking back 1,000 costs nearly half is the C library's free, whose thread cache keeps but
/// seven frames. 100,000 no longer fit into the CPU's own cache: their cost is that of the cache
/// which all share, and varies with what the neighbours do.
struct InCoroutines {
  static stackless::Async<void> sleep(io::TimePoint deadline) {
    co_await stackless::sleep_until(deadline);
  }
};

/// All within one poll of one task, which keeps the sleeps like a server its time-outs.
template <class Dialect>
void turn_over(Port& port, const Cell& cell) {
  using Sleep = decltype(Dialect::sleep({}));
  const auto timers = static_cast<std::size_t>(cell.number("tasks"));
  TimerTurnover turnover{port, timers};
  std::deque<stackless::OneOf<Sleep>> sleeps(timers);
  stackless::Executor executor;
  const auto error = executor.spawn([&] {
    return stackless::poll_fn([&](stackless::Context& context) -> stackless::Poll<void> {
      turnover.run(
          [&](std::size_t timer, io::TimePoint deadline) {
            auto& sleep =
                sleeps[timer].template emplace<0>([&] { return Dialect::sleep(deadline); });
            if (sleep.poll(context).is_ready()) port.give_up("wrong: a sleep was over at once");
          },
          [&](std::size_t timer) { sleeps[timer].reset(); });
      return stackless::ready;
    });
  });
  if (error) port.give_up(refusal(error, 0));
  executor.run();
  if (const auto left = executor.reactor().timers().size(); left != 0) {
    return port.failure(fmt::format("wrong: {} timers are left", left));
  }
  turnover.report();
}

}  // namespace

void run_timers_alone(Port& port, const Cell& cell) {
  const auto timers = static_cast<std::size_t>(cell.number("tasks"));
  TimerTurnover turnover{port, timers};
  io::TimingWheel wheel{io::Clock::now()};
  std::deque<io::Timer> all(timers);
  turnover.run([&](std::size_t timer, io::TimePoint at) { wheel.insert(all[timer], at); },
               [&](std::size_t timer) { wheel.cancel(all[timer]); });
  if (wheel.size() != 0) return port.failure(fmt::format("wrong: {} are left", wheel.size()));
  turnover.report();
}
void run_timers_in_futures(Port& port, const Cell& cell) {
  turn_over<InFutures>(port, cell);
}
void run_timers_in_coroutines(Port& port, const Cell& cell) {
  turn_over<InCoroutines>(port, cell);
}

}  // namespace harness
