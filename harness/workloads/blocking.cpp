// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/blocking.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fmt/format.h>
#include <string>

#include "harness/contenders.hpp"
#include "harness/lateness.hpp"
#include "harness/limits.hpp"
#include "harness/resource_usage.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/burst.hpp"
#include "harness/workloads/bystanders.hpp"
#include "harness/workloads/keep_time.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds disturbance = 10ms;
constexpr std::chrono::nanoseconds between_calls = 40ms;
constexpr std::chrono::nanoseconds moment = 1us;
constexpr std::chrono::nanoseconds shortest_window = 200ms;  // a few disturbances

/// What the one task does that is not like the others, and how often it has.
class Disturber {
 public:
  Disturber(Port& port, std::string does)
      : port_{&port}, does_{std::move(does)}, steps_{steps_for(disturbance)} {}

  [[nodiscard]] bool is(std::string_view what) const noexcept { return does_ == what; }
  [[nodiscard]] Port& port() noexcept { return *port_; }
  [[nodiscard]] std::uint64_t times() const noexcept { return times_; }

  /// The thread that calls waits in the kernel.
  void block() {
    const timespec span{.tv_sec = 0, .tv_nsec = disturbance.count()};
    if (::clock_nanosleep(CLOCK_MONOTONIC, 0, &span, nullptr) != 0) {
      port_->give_up("failed: the blocking call was interrupted");
    }
    ++times_;
  }
  void compute() {
    state_ = burst(state_, steps_);
    ++times_;
  }
  /// When a task that has disturbed goes on. A hog makes way for a moment, so that those who have
  /// become due meanwhile have their turn: one that never did would stop its worker for good.
  [[nodiscard]] io::TimePoint next() const {
    return io::Clock::now() + (is("hog") ? moment : between_calls);
  }

 private:
  Port* port_;
  std::string does_;
  std::uint64_t steps_;
  std::uint64_t state_ = 1;
  std::uint64_t times_ = 0;
};

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
struct Disturb {
  static void direct(const Bystanders& others, Disturber& disturber) {
    while (const auto next = others.before_begin()) B::sleep_until(*next);
    while (!others.over()) {
      disturber.is("hog") ? disturber.compute() : disturber.block();
      B::sleep_until(disturber.next());
    }
  }
  static stackless::Async<void> coroutine(const Bystanders& others, Disturber& disturber) {
    while (const auto next = others.before_begin()) {
      co_await B::sleep_until(*next);
    }
    while (!others.over()) {
      disturber.is("hog") ? disturber.compute() : disturber.block();
      co_await B::sleep_until(disturber.next());
    }
  }
};

/// The blocking call is another thread's; this task joins it.
template <class B>
struct DisturbNobody {
  static stackless::Async<void> coroutine(const Bystanders& others, Disturber& disturber,
                                          stackless::BlockingPool& pool) {
    while (const auto next = others.before_begin()) {
      co_await B::sleep_until(*next);
    }
    while (!others.over()) {
      std::error_code error;
      stackless::JoinHandle<void> call =
          pool.spawn_blocking([&disturber] { disturber.block(); }, error);
      if (error) disturber.port().give_up(refusal(error, disturber.times()));
      stackless::Outcome<void> outcome = co_await call.join();
      outcome.take();
      co_await B::sleep_until(disturber.next());
    }
  }
};

// ---- the cell -----------------------------------------------------------------------------------

void conclude(Port& port, const Bystanders& others, const Disturber& disturber) {
  if (others.missed_any()) return port.failure("wrong: a moment was slept through");
  if (!disturber.is("none") && disturber.times() == 0) {
    return port.failure("wrong: nobody was disturbed");
  }
  const Consumption consumption{others.before(), ResourceUsage::at_end()};
  consumption.report(port, "moment", 0, SystemCallCount::absent);  // the shares of the CPU
  report_lateness(port, others.lateness());
  port.result("disturbances", static_cast<double>(disturber.times()));
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Disturber disturber{port, cell.text("disturber")};
  constexpr bool has_pool = C::dialect != Dialect::direct;
  if (disturber.is("pool") && !has_pool) {
    return port.failure(fmt::format("refused: {} have no blocking pool", cell.contender));
  }
  typename B::Runtime runtime{typename B::Options{}};
  stackless::BlockingPool pool;
  Bystanders others{static_cast<std::size_t>(cell.number("tasks")),
                    std::max(port.measure_for(), shortest_window)};
  spawn_each<C, KeepTime<B, Bystanders::Seat>>(port, runtime, others.seats());
  std::error_code error;
  if constexpr (has_pool) {
    if (disturber.is("pool")) {
      error = spawn_body<C, DisturbNobody<B>>(runtime, others, disturber, pool);
    }
  }
  if (disturber.is("call") || disturber.is("hog")) {
    error = spawn_body<C, Disturb<B>>(runtime, others, disturber);
  }
  if (error) port.give_up(refusal(error, others.seats().size()));
  runtime.run();
  conclude(port, others, disturber);
}

}  // namespace

std::vector<Subject> blocking_subjects() {
  return subjects_of("blocking", []<class C>() { return &run<C>; });
}

}  // namespace harness
