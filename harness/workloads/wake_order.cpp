// SPDX-License-Identifier: BSL-1.0
// A wake queues and never polls, and none is lost.
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/wake_rules.hpp"
#include "io/counters.hpp"

namespace harness {

namespace {

using stackless::Async;
using Backend = stackless::Backend;

/// Who wakes the task once more, and when: in the middle of the poll that another task's wake has
/// caused (itself; a thread that is through before the poll is), or after it (a thread, at any
/// moment; a thread, when the worker sleeps).
enum class Again { never, by_itself, by_a_thread_meanwhile, by_a_thread_later, from_sleep };

/// Whose polls are counted.
struct Witness {
  /// Enough to fall asleep in.
  static constexpr std::chrono::microseconds nap{200};

  /// Wakes the task, noting a poll that would come before the call has returned.
  void wake() {
    waking = true;
    waker.wake_by_ref();
    waking = false;
  }
  void wake_again() {
    const Again how = std::exchange(again, Again::never);
    if (how == Again::never) return;
    if (how == Again::by_itself) return wake();
    outside = std::jthread{[own = waker.clone(), asleep = how == Again::from_sleep]() mutable {
      if (asleep) std::this_thread::sleep_for(nap);
      own.wake();
    }};
    if (how == Again::by_a_thread_meanwhile) outside.join();
  }

  stackless::Waker waker;
  std::jthread outside;
  Backend::Event* polled = nullptr;
  Again again = Again::never;
  bool waking = false;
  bool over = false;
  std::uint64_t polls = 0;
  std::uint64_t polls_within_wakes = 0;
};

class Watched : stackless::Immovable {
 public:
  using Output = void;

  explicit Watched(Witness& witness) noexcept : witness_{&witness} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    ++witness_->polls;
    if (witness_->waking) ++witness_->polls_within_wakes;
    if (witness_->over) return stackless::ready;
    witness_->waker.clone_from(context.waker());
    witness_->wake_again();
    witness_->polled->set();
    return stackless::pending;
  }

 private:
  Witness* witness_;
};

Async<void> watched_coroutine(Witness& witness) {
  co_await Watched{witness};
}

constexpr std::chrono::seconds patience{2};

/// Whether so many polls come. While they do, the worker has always something to do.
Async<bool> see_polls_awake(Witness& witness, std::uint64_t expected) {
  const auto deadline = io::Clock::now() + patience;
  while (witness.polls < expected && io::Clock::now() < deadline) co_await Backend::yield();
  co_return witness.polls >= expected;
}

/// The same; nothing but a poll ends the worker's sleep, or patience.
Async<bool> see_polls_asleep(Witness& witness, std::uint64_t expected) {
  while (witness.polls < expected) {
    const auto polled = co_await stackless::timeout(io::Clock::now() + patience,
                                                    [&] { return witness.polled->wait(); });
    if (!polled) co_return false;
  }
  co_return true;
}

std::uint64_t worker_wakes() {
  return io::system_calls()[io::SystemCall::wake];
}

/// Wakes in each of the ways in turn, and waits for the polls that this has to bring, but not for
/// ever.
Async<void> wake_in_every_way(Witness& witness, Port& port) {
  constexpr std::array ways{Again::never, Again::by_itself, Again::by_a_thread_meanwhile,
                            Again::by_a_thread_later, Again::from_sleep};
  constexpr std::uint64_t rounds = 500;
  const std::uint64_t worker_wakes_before = worker_wakes();
  std::uint64_t wakes = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t round = 0; round < rounds && lost < ways.size(); ++round) {
    const Again how = ways[round % ways.size()];
    const std::uint64_t due = how == Again::never ? 1 : 2;
    const std::uint64_t expected = witness.polls + due;
    witness.again = how;
    witness.wake();
    const bool seen = how == Again::from_sleep ? co_await see_polls_asleep(witness, expected)
                                               : co_await see_polls_awake(witness, expected);
    wakes += due;
    if (!seen) ++lost;
  }
  witness.over = true;
  witness.wake();
  port.result("wakes", static_cast<double>(wakes));
  port.result("wakes_lost", static_cast<double>(lost));
  port.result("wakes_from_sleep", static_cast<double>(worker_wakes() - worker_wakes_before));
}

}  // namespace

void run_order(Port& port, Dialect dialect) {
  Witness witness;  // its waker may outlive the executor, not the other way round
  stackless::Executor executor;
  Backend::Event polled{executor};
  witness.polled = &polled;
  std::error_code error;
  if (dialect == Dialect::future) {
    error = executor.spawn([&] { return Watched{witness}; });
  } else {
    error = executor.spawn([&] { return watched_coroutine(witness); });
  }
  if (!error) error = executor.spawn([&] { return wake_in_every_way(witness, port); });
  if (error) port.give_up(refusal(error, 0));
  executor.run();
  port.result("polls_within_wakes", static_cast<double>(witness.polls_within_wakes));
}

}  // namespace harness
