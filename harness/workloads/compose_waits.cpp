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

// ---- the bodies: each sleep counts itself when it has ended -------------------------------------

using Ended = std::size_t;

template <std::size_t which>
auto sleep_future(Ended& ended) {
  return stackless::map([] { return stackless::sleep_until(io::Clock::now() + waits[which]); },
                        [&ended] { ++ended; });
}

auto sequence_future(Ended& ended) {
  return stackless::sequence(
      [&] { return sleep_future<0>(ended); }, [&] { return sleep_future<1>(ended); },
      [&] { return sleep_future<2>(ended); }, [&] { return sleep_future<3>(ended); });
}
auto join_future(Ended& ended) {
  return stackless::join(
      [&] { return sleep_future<0>(ended); }, [&] { return sleep_future<1>(ended); },
      [&] { return sleep_future<2>(ended); }, [&] { return sleep_future<3>(ended); });
}

template <std::size_t which>
stackless::Async<void> sleep_coroutine(Ended& ended) {
  co_await stackless::sleep_until(io::Clock::now() + waits[which]);
  ++ended;
}
stackless::Async<void> sequence_coroutine(Ended& ended) {
  co_await sleep_coroutine<0>(ended);
  co_await sleep_coroutine<1>(ended);
  co_await sleep_coroutine<2>(ended);
  co_await sleep_coroutine<3>(ended);
}
stackless::Async<void> join_coroutine(Ended& ended) {
  co_await stackless::join(
      [&] { return sleep_coroutine<0>(ended); }, [&] { return sleep_coroutine<1>(ended); },
      [&] { return sleep_coroutine<2>(ended); }, [&] { return sleep_coroutine<3>(ended); });
}

template <std::size_t which>
stackless::push::Promise<void> sleep_callback(Ended& ended) {
  return stackless::push::sleep_until(io::Clock::now() + waits[which]).then([&ended] { ++ended; });
}
stackless::push::Promise<void> sequence_callback(Ended& ended) {
  return sleep_callback<0>(ended)
      .then([&] { return sleep_callback<1>(ended); })
      .then([&] { return sleep_callback<2>(ended); })
      .then([&] { return sleep_callback<3>(ended); });
}
/// All are under way once they are called; when the longest is over, the others have settled.
stackless::push::Promise<void> join_callback(Ended& ended) {
  const auto given = [](stackless::push::Promise<void> promise) {
    return [promise = std::move(promise)]() mutable {
      return std::move(promise);
    };
  };
  auto first = given(sleep_callback<0>(ended));
  auto second = given(sleep_callback<1>(ended));
  auto third = given(sleep_callback<2>(ended));
  return sleep_callback<3>(ended)
      .then(std::move(first))
      .then(std::move(second))
      .then(std::move(third));
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, bool together, Ended& ended) {
  const auto either = [&](auto sequence, auto join) {
    return together ? runtime.spawn([&ended, join] { return join(ended); })
                    : runtime.spawn([&ended, sequence] { return sequence(ended); });
  };
  if constexpr (C::dialect == Dialect::future) {
    return either(&sequence_future, &join_future);
  } else if constexpr (C::dialect == Dialect::coroutine) {
    return either(&sequence_coroutine, &join_coroutine);
  } else {
    return either(&sequence_callback, &join_callback);
  }
}

template <class C>
void run(Port& port, bool together) {
  typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
  const auto operation = [&] {
    const auto begin = io::Clock::now();
    Ended ended = 0;
    const bool spawned = !spawn<C>(runtime, together, ended);
    runtime.run();
    const auto took = io::Clock::now() - begin;
    return spawned && ended == waits.size() && took >= (together ? longest : sum);
  };
  Batches batches{port.measure_for(), 1};
  if (!time_batches(batches, operation)) return port.failure("wrong: over before its waits");
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
