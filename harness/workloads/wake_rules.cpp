// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake_rules.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/wake.hpp"

namespace harness {

namespace {

using stackless::Async;
using Backend = stackless::Backend;

// ---- order: a wake queues and never polls, and none is lost -------------------------------------

/// Whose polls are counted. Woken by another task; or by itself or another thread, during a poll.
struct Witness {
  enum class Second { none, by_itself, by_another_thread };

  /// Wakes the task, noting a poll that would come before the call has returned.
  void wake() {
    waking = true;
    waker.wake_by_ref();
    waking = false;
  }
  void wake_again() {
    const Second by = std::exchange(second, Second::none);
    if (by == Second::by_itself) wake();
    if (by == Second::by_another_thread)
      std::jthread{[this] {
        waker.wake_by_ref();
      }};
  }

  stackless::Waker waker;
  Second second = Second::none;  // wake, during the poll that the first one causes
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
    return stackless::pending;
  }

 private:
  Witness* witness_;
};

Async<void> watched_coroutine(Witness& witness) {
  co_await Watched{witness};
}

/// Wakes in each of the ways in turn, and waits for the polls that this has to bring, but not for
/// ever.
Async<void> wake_in_every_way(Witness& witness, Port& port) {
  constexpr std::array ways{Witness::Second::none, Witness::Second::by_itself,
                            Witness::Second::by_another_thread};
  constexpr std::uint64_t rounds = 300;
  constexpr std::uint64_t patience = 100'000;  // turns
  std::uint64_t wakes = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    witness.second = ways[round % ways.size()];
    const std::uint64_t due = witness.second == Witness::Second::none ? 1 : 2;
    const std::uint64_t expected = witness.polls + due;
    witness.wake();
    for (std::uint64_t turn = 0; witness.polls < expected && turn < patience; ++turn) {
      co_await Backend::yield();
    }
    wakes += due;
    if (witness.polls < expected) lost += expected - witness.polls;
  }
  witness.over = true;
  witness.wake();
  port.result("wakes", static_cast<double>(wakes));
  port.result("wakes_lost", static_cast<double>(lost));
}

void run_order(Port& port, Dialect dialect) {
  Witness witness;  // its waker may outlive the executor, not the other way round
  stackless::Executor executor;
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

// ---- over: polling after completion is refused --------------------------------------------------

struct Refused {
  std::string_view what;
};

/// Has faults thrown while it lives.
class FaultsThrow {
 public:
  FaultsThrow()
      : before_{std::exchange(stackless::fault_handler,
                              [](const char* what) { throw Refused{what}; })} {}
  ~FaultsThrow() { stackless::fault_handler = before_; }
  FaultsThrow(const FaultsThrow&) = delete;
  FaultsThrow& operator=(const FaultsThrow&) = delete;

 private:
  stackless::FaultHandler before_;
};

struct Attempts {
  std::uint64_t made = 0;
  std::uint64_t refused = 0;  ///< in words that say what was wrong
};

/// Polls a future to its end, and once more.
template <stackless::Future F>
class PollPastTheEnd : stackless::Immovable {
 public:
  using Output = void;

  template <class Make>
  PollPastTheEnd(Attempts& attempts, Make& make) : attempts_{&attempts}, future_{make()} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    if (future_.poll(context).is_pending()) return stackless::pending;
    ++attempts_->made;
    try {
      static_cast<void>(future_.poll(context));
    } catch (const Refused& refused) {
      if (refused.what.find("after completion") != std::string_view::npos) ++attempts_->refused;
    }
    return stackless::ready;
  }

 private:
  Attempts* attempts_;
  F future_;
};

template <class Make>
void attempt(Port& port, stackless::Executor& executor, Attempts& attempts, Make make) {
  const auto error = executor.spawn([&] {
    return PollPastTheEnd<std::invoke_result_t<Make&>>{attempts, make};
  });
  if (error) port.give_up(refusal(error, attempts.made));
}

Async<void> end_at_once() {
  co_return;
}
Async<int> end_with_a_value() {
  co_return 1;
}
Async<void> end_after_a_wait() {
  co_await Backend::yield();
}

void run_over(Port& port, Dialect dialect) {
  const FaultsThrow faults_throw;
  stackless::Executor executor;
  Backend::Event event{executor};
  Attempts attempts;
  if (dialect == Dialect::future) {
    event.set();
    attempt(port, executor, attempts, [&] { return event.wait(); });
    attempt(port, executor, attempts, [] { return Backend::sleep_until(io::Clock::now()); });
    attempt(port, executor, attempts, [] { return Backend::yield(); });
  } else {
    attempt(port, executor, attempts, &end_at_once);
    attempt(port, executor, attempts, &end_with_a_value);
    attempt(port, executor, attempts, &end_after_a_wait);
  }
  executor.run();
  port.result("ended_futures", static_cast<double>(attempts.made));
  port.result("refused_polls", static_cast<double>(attempts.refused));
}

void run(Port& port, std::string_view rule, Dialect dialect) {
  if (rule == "order") return run_order(port, dialect);
  if (rule == "over") return run_over(port, dialect);
  rule == "stuck" ? run_stuck(port, dialect) : run_stale(port, dialect);
}

}  // namespace

void run_wake_rule(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() {
    if (C::dialect == Dialect::direct) {
      return port.failure(fmt::format("refused: {} have no wakers", C::name));
    }
    run(port, cell.text("rule"), C::dialect);
  });
}

}  // namespace harness
