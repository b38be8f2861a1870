// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/migration.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "harness/limits.hpp"
#include "harness/resource_usage.hpp"
#include "harness/row.hpp"
#include "harness/workloads/burst.hpp"
#include "harness/workloads/on_cpus.hpp"
#include "stackful/backend.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds all_turns = 20ms;  // of all fibers together, on one CPU
constexpr unsigned workers = 2;

/// Who runs the calling fiber. Not inlined: what a compiler remembers is from before the yield.
[[gnu::noinline]] const stackful::Scheduler* this_worker() noexcept {
  asm volatile("" ::: "memory");
  return stackful::Scheduler::current();
}

/// Fibers that compute in turns, dealt to the workers one by one.
class Shift {
 public:
  Shift(Port& port, const Cell& cell)
      : port_{&port},
        turns_{static_cast<std::uint64_t>(cell.number("turns"))},
        seats_(static_cast<std::size_t>(cell.number("tasks"))) {
    const auto all = static_cast<std::int64_t>(turns_ * seats_.size());
    const std::uint64_t steps = steps_for(all_turns / (2 * all));
    const bool skewed = cell.text("load") == "skewed";
    for (std::size_t i = 0; i != seats_.size(); ++i) {
      const std::uint64_t share = !skewed ? 2 : i % workers == 0 ? 3 : 1;
      seats_[i] = {.number = i, .steps = share * steps};
    }
  }

  [[nodiscard]] double turns() const noexcept {
    return static_cast<double>(turns_) * static_cast<double>(seats_.size());
  }
  [[nodiscard]] double tasks() const noexcept { return static_cast<double>(seats_.size()); }
  /// How often a fiber has found itself on another worker than before, or than the one it was dealt
  /// to, since the last question.
  [[nodiscard]] double take_moves() noexcept { return static_cast<double>(moves_.exchange(0)); }

  /// The same work without any task, on the calling thread, in nanoseconds; from now on its results
  /// are expected.
  double compute_alone() noexcept {
    const io::TimePoint began = io::Clock::now();
    for (Seat& seat : seats_) {
      seat.result = 0;
      for (std::uint64_t turn = 0; turn != turns_; ++turn) work(seat);
      seat.expected = seat.result;
    }
    return std::chrono::duration<double, std::nano>{io::Clock::now() - began}.count();
  }

  /// From the start of the workers to the end of the last fiber, in nanoseconds.
  double play(bool stealing) {
    stackful::Runtime runtime{{.workers = workers, .stealing = stealing}};
    for (Seat& seat : seats_) {
      const auto* const home = &runtime.worker(seat.number % workers);
      const auto error = runtime.spawn([this, &seat, home] { take_turns(seat, home); });
      if (error) port_->give_up(refusal(error, runtime.live_tasks()));
    }
    const io::TimePoint began = io::Clock::now();
    runtime.run();
    const io::Duration took = io::Clock::now() - began;
    for (const Seat& seat : seats_) {
      if (seat.result == seat.expected) continue;
      port_->give_up(
          fmt::format("wrong: the result of task {} is not what it computes", seat.number));
    }
    return std::chrono::duration<double, std::nano>{took}.count();
  }

 private:
  struct Seat {
    std::uint64_t number = 0;
    std::uint64_t steps = 0;  // a turn
    std::uint64_t expected = 0;
    std::uint64_t result = 0;
  };

  static void work(Seat& seat) noexcept {
    seat.result = burst(seat.result == 0 ? seat.number + 1 : seat.result, seat.steps);
  }

  void take_turns(Seat& seat, const stackful::Scheduler* home) {
    seat.result = 0;
    std::uint64_t moves = 0;
    for (std::uint64_t turn = 0; turn != turns_; ++turn) {
      if (turn != 0) stackful::Backend::yield();
      const auto* const before = std::exchange(home, this_worker());
      moves += home == before ? 0 : 1;
      work(seat);
    }
    moves_ += moves;
  }

  Port* port_;
  std::uint64_t turns_;
  std::deque<Seat> seats_;
  std::atomic<std::uint64_t> moves_{0};
};

}  // namespace

// Kept and stolen in alternating order, so that drift cancels.
void run_migration(Port& port, const Cell& cell) {
  Shift shift{port, cell};
  const OnCpus cpus{workers};
  const auto allowed = allowed_cpus();
  const ResourceUsage before = ResourceUsage::at_start(allowed);
  std::vector<double> elapsed, elapsed_vs_one, elapsed_vs_kept, added_ns_per_turn, moves_per_task;
  repeat(port.measure_for(), [&](std::size_t number) {
    const double alone = shift.compute_alone();
    double kept = 0;
    double stolen = 0;
    for (const bool stealing : {number % 2 == 0, number % 2 != 0}) {
      (stealing ? stolen : kept) = shift.play(stealing);
    }
    elapsed.push_back(stolen);
    elapsed_vs_one.push_back(stolen / (alone / shift.tasks()));
    elapsed_vs_kept.push_back(stolen / kept);
    added_ns_per_turn.push_back((stolen - kept) * workers / shift.turns());
    moves_per_task.push_back(shift.take_moves() / shift.tasks());
  });
  port.result("elapsed_ns", elapsed);
  port.result("elapsed_vs_one", elapsed_vs_one);
  port.result("elapsed_vs_kept", elapsed_vs_kept);
  port.result("added_ns_per_turn", added_ns_per_turn);
  port.result("moves_per_task", moves_per_task);
  const Consumption consumption{before, ResourceUsage::at_end(allowed)};
  consumption.report(port, "task", 0, SystemCallCount::absent);  // the shares of the CPUs
}

}  // namespace harness
