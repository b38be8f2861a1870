// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <string>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/wake_rules.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;
using stackless::Async;
using Backend = stackless::Backend;

/// What the watchdog of one executor has said.
class Reports {
 public:
  Reports() { current_ = this; }
  ~Reports() { current_ = nullptr; }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  [[nodiscard]] static stackless::Options options() {
    return {.watchdog = 2ms, .on_stuck = [](const stackless::TaskName& task, stackless::Stuck how) {
              if (how == stackless::Stuck::for_good) current_->futures_.emplace_back(task.future);
            }};
  }
  [[nodiscard]] std::size_t all() const noexcept { return futures_.size(); }
  /// Of tasks whose future is of a type with this in its name.
  [[nodiscard]] std::size_t naming(std::string_view type) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        futures_, [&](const auto& future) { return future.find(type) != future.npos; }));
  }

 private:
  inline static thread_local Reports* current_ = nullptr;  // a watchdog calls a plain function
  std::vector<std::string> futures_;
};

void spawn_or_give_up(Port& port, stackless::Executor& executor, auto make) {
  if (const auto error = executor.spawn(make)) {
    port.give_up(refusal(error, executor.live_tasks()));
  }
}

/// Ends the executor once the watchdog has had its say: early, when it said something.
Async<void> stop_after_a_while(stackless::Executor& executor, const Reports& reports) {
  for (int looks = 0; looks < 10 && reports.all() == 0; ++looks) {
    co_await Backend::sleep_until(io::Clock::now() + 20ms);
  }
  executor.stop();
}

// ---- stuck: pending, and no wake-up arranged ----------------------------------------------------

struct Forgetful : stackless::Immovable {
  using Output = void;
  static stackless::Poll<void> poll(stackless::Context&) { return stackless::pending; }
};

Async<void> await_the_forgetful() {
  co_await Forgetful{};
}

/// That coroutine, told from others: their types are all the same.
class AwaitsForgetful : stackless::Immovable {
 public:
  using Output = void;
  stackless::Poll<void> poll(stackless::Context& context) { return coroutine_.poll(context); }

 private:
  Async<void> coroutine_ = await_the_forgetful();
};

void spawn_forgetful(Port& port, stackless::Executor& executor, Dialect dialect) {
  if (dialect == Dialect::future) {
    spawn_or_give_up(port, executor, [] { return Forgetful{}; });
  } else {
    spawn_or_give_up(port, executor, [] { return AwaitsForgetful{}; });
  }
}

// ---- stale: a future that moves from one task to another ----------------------------------------

enum class Keeping { the_first_waker, the_last_waker, a_clone_of_each };

struct Signal {
  Keeping keeping;
  stackless::Waker waker{};
  bool set = false;
};

class Listen : stackless::Immovable {
 public:
  using Output = void;

  explicit Listen(Signal& signal) noexcept : signal_{&signal} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    if (signal_->set) return stackless::ready;
    stackless::Waker& kept = signal_->waker;
    if (signal_->keeping == Keeping::a_clone_of_each) kept = context.waker().clone();
    if (signal_->keeping == Keeping::the_last_waker || !kept) kept.clone_from(context.waker());
    return stackless::pending;
  }

 private:
  Signal* signal_;
};

Async<void> listen_coroutine(Signal& signal) {
  co_await Listen{signal};
}

/// Polls a future that belongs to somebody else: once, or to its end.
template <stackless::Future F>
class Borrow : stackless::Immovable {
 public:
  using Output = void;

  Borrow(F& future, bool once, bool& ended) noexcept
      : future_{&future}, once_{once}, ended_{&ended} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    *ended_ = future_->poll(context).is_ready();
    return *ended_ || once_ ? stackless::ready : stackless::Poll<void>{stackless::pending};
  }

 private:
  F* future_;
  bool once_;
  bool* ended_;
};

template <stackless::Future F>
void spawn_second_home(Port& port, stackless::Executor& executor, F& future, bool& ended) {
  spawn_or_give_up(port, executor, [&] { return Borrow<F>{future, false, ended}; });
}

Async<void> send(Signal& signal) {
  co_await Backend::yield();  // both homes have polled it
  signal.set = true;
  signal.waker.wake();
}

struct Moved {
  bool woken = false;
  std::size_t found = 0;
  std::size_t false_alarms = 0;
};

/// One task polls the future once and ends, the next takes it over, a third sends the signal.
template <stackless::Future F>
Moved move_between_tasks(Port& port, Signal& signal, F&& future) {
  const Reports reports;
  stackless::Executor executor{Reports::options()};
  bool ended = false;
  spawn_or_give_up(port, executor, [&] { return Borrow<F>{future, true, ended}; });
  spawn_second_home(port, executor, future, ended);
  spawn_or_give_up(port, executor, [&] { return send(signal); });
  spawn_or_give_up(port, executor, [&] { return stop_after_a_while(executor, reports); });
  executor.run();
  const std::size_t found = reports.naming("Borrow<");
  return {ended, found, reports.all() - found};
}

Moved move_between_tasks(Port& port, Keeping keeping, Dialect dialect) {
  Signal signal{keeping};
  return dialect == Dialect::future ? move_between_tasks(port, signal, Listen{signal})
                                    : move_between_tasks(port, signal, listen_coroutine(signal));
}

/// A task without an executor that counts the clones of its wakers.
struct Cloned : stackless::Wakeable {
  Cloned() : Wakeable{&table} {}

  static void clone(stackless::Wakeable& target) noexcept { ++static_cast<Cloned&>(target).clones; }
  static void ignore(stackless::Wakeable&) noexcept {}
  static constexpr stackless::WakerOperations table{&clone, &ignore, &ignore, &ignore};

  std::uint64_t clones = 0;
};

std::uint64_t clones_in_1000_polls(Keeping keeping) {
  Cloned task;
  const stackless::BorrowedWaker waker{task};
  Signal signal{keeping};
  Listen future{signal};
  for (int polls = 0; polls < 1000; ++polls) {
    stackless::Context context{waker.waker()};
    static_cast<void>(future.poll(context));
  }
  return task.clones;
}

}  // namespace

void run_stuck(Port& port, Dialect dialect) {
  const Reports reports;
  stackless::Executor executor{Reports::options()};
  for (int sleeper = 0; sleeper < 100; ++sleeper) {
    spawn_or_give_up(port, executor,
                     [] { return Backend::sleep_until(io::Clock::now() + std::chrono::hours{1}); });
  }
  spawn_forgetful(port, executor, dialect);
  spawn_or_give_up(port, executor, [&] { return stop_after_a_while(executor, reports); });
  executor.run();
  const std::size_t found = reports.naming("Forgetful");
  port.result("stuck_found", static_cast<double>(found));
  port.result("false_alarms_found", static_cast<double>(reports.all() - found));
}

void run_stale(Port& port, Dialect dialect) {
  const Moved refreshed = move_between_tasks(port, Keeping::the_last_waker, dialect);
  const Moved stale = move_between_tasks(port, Keeping::the_first_waker, dialect);
  const auto say = [&port](const char* counter, auto count) {
    port.result(counter, static_cast<double>(count));
  };
  say("refreshed_wakes_lost", refreshed.woken ? 0 : 1);
  say("stale_wakes_lost", stale.woken ? 0 : 1);
  say("stale_found", stale.found);
  say("false_alarms_found", refreshed.found + refreshed.false_alarms + stale.false_alarms);
  say("will_wake_clones", clones_in_1000_polls(Keeping::the_last_waker));
  say("plain_clones", clones_in_1000_polls(Keeping::a_clone_of_each));
}

}  // namespace harness
