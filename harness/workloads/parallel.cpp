// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/parallel.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/pin.hpp"
#include "harness/resource_usage.hpp"
#include "harness/row.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/migration.hpp"
#include "harness/workloads/on_cpus.hpp"
#include "harness/workloads/team.hpp"
#include "harness/workloads/timelines.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds all_bursts = 20ms;  // of a team together, on one CPU
constexpr std::chrono::nanoseconds sleep = 20ms;
constexpr std::chrono::nanoseconds until_workers_wait = 1ms;

// ---- the bodies: one that computes, one that sleeps, one that spawns them all -------------------

template <class B>
struct Compute {
  static void direct(Team::Seat& seat, Team& team) {
    team.come(seat);
    team.leave(seat, team.compute(seat));
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Team::Seat& seat, Team& team) noexcept : seat_{&seat}, team_{&team} {}

    stackless::Poll<void> poll(stackless::Context&) {
      team_->come(*seat_);
      team_->leave(*seat_, team_->compute(*seat_));
      return stackless::ready;
    }

   private:
    Team::Seat* seat_;
    Team* team_;
  };

  static stackless::Async<void> coroutine(Team::Seat& seat, Team& team) {
    team.come(seat);
    team.leave(seat, team.compute(seat));
    co_return;
  }
};

template <class B>
struct Sleep {
  static void direct(Team::Seat& seat, Team& team) {
    team.come(seat);
    B::sleep_until(io::Clock::now() + sleep);
    team.leave(seat, seat.expected);
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Team::Seat& seat, Team& team) noexcept : seat_{&seat}, team_{&team} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      if (!sleep_) {
        team_->come(*seat_);
        sleep_.emplace(io::Clock::now() + sleep);
      }
      if (sleep_->poll(context).is_pending()) return stackless::pending;
      team_->leave(*seat_, seat_->expected);
      return stackless::ready;
    }

   private:
    Team::Seat* seat_;
    Team* team_;
    std::optional<stackless::Sleep> sleep_;
  };

  static stackless::Async<void> coroutine(Team::Seat& seat, Team& team) {
    team.come(seat);
    co_await B::sleep_until(io::Clock::now() + sleep);
    team.leave(seat, seat.expected);
  }
};

/// Lets the other workers go to sleep, as they are when something comes in; then spawns everybody.
template <class C, template <class> class Work>
struct Lead {
  using B = typename C::Backend;
  using Runtime = typename B::Runtime;

  static void direct(Runtime& runtime, Port& port, Team& team) {
    B::sleep_until(io::Clock::now() + until_workers_wait);
    spawn_all(runtime, port, team);
  }
  static stackless::Async<void> coroutine(Runtime& runtime, Port& port, Team& team) {
    co_await B::sleep_until(io::Clock::now() + until_workers_wait);
    spawn_all(runtime, port, team);
  }

 private:
  static void spawn_all(Runtime& runtime, Port& port, Team& team) {
    team.begin();
    if constexpr (requires { runtime.here().spawn([] {}); }) {
      spawn_here(runtime, port, team);
    } else {
      spawn_each<C, Work<B>>(port, runtime, team.seats(), team);
    }
  }
  /// Where a runtime would deal its tasks to the workers in turn.
  static void spawn_here(Runtime& runtime, Port& port, Team& team) {
    for (Team::Seat& seat : team.seats()) {
      const auto error = runtime.here().spawn([&] { Work<B>::direct(seat, team); });
      if (error) port.give_up(refusal(error, seat.number));
    }
  }
};

// ---- the cell -----------------------------------------------------------------------------------

/// How a team is played.
struct Manner {
  unsigned workers = 1;
  bool stealing = true;
};

/// Throws Failure for a contender that cannot have so many workers.
template <class B>
typename B::Options options_of(const Cell& cell, Manner manner) {
  typename B::Options options{};
  if constexpr (B::mode == io::Mode::nonblocking) options.workers = manner.workers;
  if constexpr (requires { options.stealing; }) options.stealing = manner.stealing;
  if (manner.workers == 1) return options;
  try {
    const typename B::Runtime probe{options};
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::operation_not_supported) throw;
    throw Failure{fmt::format("refused: {} run on one worker", cell.contender)};
  }
  return options;
}

/// The team once, with all its tasks; in nanoseconds.
template <class C, template <class> class Work>
double play(Port& port, const Cell& cell, Team& team, Manner manner) {
  const OnCpus cpus{manner.workers};
  typename C::Backend::Runtime runtime{options_of<typename C::Backend>(cell, manner)};
  const auto error = spawn_body<C, Lead<C, Work>>(runtime, runtime, port, team);
  if (error) port.give_up(refusal(error, 0));
  runtime.run();
  if (const auto who = team.failed()) {
    port.give_up(fmt::format("wrong: the result of task {} is not what it computes", *who));
  }
  return team.took();
}

/// Without tasks, with one worker, with all: in alternating order, so that drift cancels.
template <class C>
void run_bursts(Port& port, const Cell& cell, Team& team) {
  const Manner many{static_cast<unsigned>(cell.number("workers")), cell.text("stealing") != "off"};
  const auto tasks = static_cast<double>(team.seats().size());
  std::vector<double> elapsed, elapsed_vs_one, elapsed_vs_alone, speedup;
  Timelines timelines;
  team.compute_alone();
  repeat(port.measure_for(), [&](std::size_t number) {
    double alone = 0;
    double by_one = 0;
    double by_many = 0;
    for (int slice = 0; slice != 3; ++slice) {
      const int which = number % 2 == 0 ? slice : 2 - slice;
      if (which == 0) alone = team.compute_alone();
      if (which == 1) by_one = play<C, Compute>(port, cell, team, {});
      if (which == 2) {
        by_many = play<C, Compute>(port, cell, team, many);
        timelines.add(team);
      }
    }
    elapsed.push_back(by_many);
    elapsed_vs_one.push_back(by_many / (alone / tasks));
    elapsed_vs_alone.push_back(by_one / alone);
    speedup.push_back(by_one / by_many);
  });
  port.result("elapsed_ns", elapsed);
  port.result("elapsed_vs_one", elapsed_vs_one);
  port.result("elapsed_vs_alone", elapsed_vs_alone);
  port.result("speedup", speedup);
  timelines.report(port);
}

/// One that sleeps alone, and all together: in alternating order.
template <class C>
void run_sleeps(Port& port, const Cell& cell, Team& team) {
  Team one{1, all_bursts};
  std::vector<double> elapsed, elapsed_vs_one;
  Timelines timelines;
  repeat(port.measure_for(), [&](std::size_t number) {
    double alone = 0;
    double together = 0;
    for (const bool all : {number % 2 == 0, number % 2 != 0}) {
      (all ? together : alone) = play<C, Sleep>(port, cell, all ? team : one, {});
      if (all) timelines.add(team);
    }
    elapsed.push_back(together);
    elapsed_vs_one.push_back(together / alone);
  });
  port.result("elapsed_ns", elapsed);
  port.result("elapsed_vs_one", elapsed_vs_one);
  timelines.report(port);
}

template <class C>
void run(Port& port, const Cell& cell) {
  if (cell.text("work") == "turns") return run_migration(port, cell);
  Team team{static_cast<std::size_t>(cell.number("tasks")), all_bursts};
  const auto cpus = allowed_cpus();
  const ResourceUsage before = ResourceUsage::at_start(cpus);
  cell.text("work") == "sleep" ? run_sleeps<C>(port, cell, team) : run_bursts<C>(port, cell, team);
  const Consumption consumption{before, ResourceUsage::at_end(cpus)};
  consumption.report(port, "task", 0, SystemCallCount::absent);  // the shares of the CPUs
}

}  // namespace

std::vector<Subject> parallel_subjects() {
  return subjects_of("parallel", []<class C>() { return &run<C>; });
}

}  // namespace harness
