// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <chrono>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/row.hpp"
#include "harness/workloads/compose.hpp"
#include "harness/workloads/operation.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// Long beside what a timer is late by.
constexpr std::array waits{2ms, 4ms, 6ms, 8ms};
constexpr auto longest = waits.back();
constexpr auto sum = 20ms;

// ---- the bodies ---------------------------------------------------------------------------------

template <std::size_t which>
stackless::Sleep sleep_future() {
  return stackless::sleep_until(io::Clock::now() + waits[which]);
}

auto sequence_future() {
  return stackless::sequence(&sleep_future<0>, &sleep_future<1>, &sleep_future<2>,
                             &sleep_future<3>);
}
auto join_future() {
  return stackless::join(&sleep_future<0>, &sleep_future<1>, &sleep_future<2>, &sleep_future<3>);
}

template <std::size_t which>
stackless::Async<void> sleep_coroutine() {
  co_await stackless::sleep_until(io::Clock::now() + waits[which]);
}
stackless::Async<void> sequence_coroutine() {
  co_await sleep_coroutine<0>();
  co_await sleep_coroutine<1>();
  co_await sleep_coroutine<2>();
  co_await sleep_coroutine<3>();
}
stackless::Async<void> join_coroutine() {
  co_await stackless::join(&sleep_coroutine<0>, &sleep_coroutine<1>, &sleep_coroutine<2>,
                           &sleep_coroutine<3>);
}

template <std::size_t which>
stackless::push::Promise<void> sleep_callback() {
  return stackless::push::sleep_until(io::Clock::now() + waits[which]);
}
stackless::push::Promise<void> sequence_callback() {
  return sleep_callback<0>()
      .then(&sleep_callback<1>)
      .then(&sleep_callback<2>)
      .then(&sleep_callback<3>);
}
/// All are under way once they are called; when the longest is over, the others have settled.
stackless::push::Promise<void> join_callback() {
  const auto given = [](stackless::push::Promise<void> promise) {
    return [promise = std::move(promise)]() mutable {
      return std::move(promise);
    };
  };
  auto first = given(sleep_callback<0>());
  auto second = given(sleep_callback<1>());
  auto third = given(sleep_callback<2>());
  return sleep_callback<3>().then(std::move(first)).then(std::move(second)).then(std::move(third));
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, bool together) {
  if constexpr (C::dialect == Dialect::future) {
    return together ? runtime.spawn(&join_future) : runtime.spawn(&sequence_future);
  } else if constexpr (C::dialect == Dialect::coroutine) {
    return together ? runtime.spawn(&join_coroutine) : runtime.spawn(&sequence_coroutine);
  } else {
    return together ? runtime.spawn(&join_callback) : runtime.spawn(&sequence_callback);
  }
}

template <class C>
void run(Port& port, bool together) {
  typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
  const auto operation = [&] {
    const auto begin = io::Clock::now();
    const bool spawned = !spawn<C>(runtime, together);
    runtime.run();
    return spawned && io::Clock::now() - begin >= longest;
  };
  Batches batches{port.measure_for(), 1};
  if (!time_batches(batches, operation)) return port.failure("wrong: over before the longest wait");
  batches.report(port, "op");
  report_bytes(port, "op", 1, operation);
  const double took = quartiles(batches.values()).median;
  port.result("elapsed_vs_longest", took / std::chrono::nanoseconds{longest}.count());
  port.result("elapsed_vs_sum", took / std::chrono::nanoseconds{sum}.count());
}

}  // namespace

void run_waits(Port& port, const Cell& cell) {
  const bool together = cell.text("waits") == "join";
  with_contender<Composers>(cell.contender, [&]<class C>() { run<C>(port, together); });
}

}  // namespace harness
