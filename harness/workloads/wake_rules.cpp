// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake_rules.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/wake.hpp"

namespace harness {

namespace {

using stackless::Async;
using Backend = stackless::Backend;

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
