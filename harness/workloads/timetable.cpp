// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/timetable.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "harness/lateness.hpp"
#include "harness/row.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr io::Duration shortest_nap = 20ms;
constexpr io::Duration usual_warm_up = 100ms;
constexpr io::Duration longest_farewell = 1s;

}  // namespace

std::uint64_t deadlines_between(io::TimePoint first, io::Duration period, io::TimePoint from,
                                io::TimePoint to) {
  if (period == io::Duration::zero()) return from <= first && first < to ? 1 : 0;
  const auto before = [&](io::TimePoint moment) -> std::uint64_t {
    if (moment <= first) return 0;
    return static_cast<std::uint64_t>((moment - first - 1ns) / period) + 1;
  };
  return before(to) - std::min(before(from), before(to));
}

std::size_t scattering_stride(std::size_t count) {
  constexpr double golden_section = 0.6180339887;
  auto stride = static_cast<std::size_t>(static_cast<double>(count) * golden_section);
  stride = std::max<std::size_t>(stride, 1);
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

Timetable::Plan Timetable::Plan::of(const Cell& cell, std::chrono::nanoseconds measure_for) {
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  const std::chrono::microseconds period{cell.number("period_us")};
  const std::chrono::microseconds spread{cell.number("oneshot_us")};
  if (tasks == 0 || (period == 0us) == (spread == 0us)) {
    throw Failure{"failed: a row of timers has tasks, and either period_us or oneshot_us"};
  }
  if (spread != 0us) return {.tasks = tasks, .window = spread};
  return {.tasks = tasks, .period = period, .warm_up = usual_warm_up, .window = measure_for};
}

Timetable::Timetable(const Plan& plan)
    : plan_{plan}, stride_{scattering_stride(plan.tasks)}, made_{io::Clock::now()} {
  seats_.reserve(plan.tasks);
  for (std::size_t number = 0; number != plan.tasks; ++number) seats_.emplace_back(*this, number);
}

// ---- what a task asks ---------------------------------------------------------------------------

std::optional<io::TimePoint> Timetable::Seat::next() {
  const io::TimePoint now = io::Clock::now();
  if (stage_ == Stage::keeping_time) {
    table_->record(deadline_, now);
    advance(now);
    return at_deadline_or_last();
  }
  if (stage_ == Stage::leaving) {
    table_->leave();
    return std::nullopt;
  }
  if (stage_ == Stage::absent) table_->arrive(now);
  if (table_->begin_.load(std::memory_order_acquire) == not_begun) return nap(now);
  stage_ = Stage::keeping_time;
  deadline_ = table_->first_deadline(number_);
  return at_deadline_or_last();
}

// The longer it takes until all are here, the longer the naps: nobody wakes often for nothing.
std::optional<io::TimePoint> Timetable::Seat::nap(io::TimePoint now) {
  stage_ = Stage::napping;
  return now + std::max<io::Duration>(shortest_nap, (now - table_->made_) / 2);
}

void Timetable::Seat::advance(io::TimePoint now) {
  const io::Duration period = table_->plan_.period;
  if (period == io::Duration::zero()) {
    deadline_ += table_->plan_.window;  // beyond it, and spread like the first
    return;
  }
  const auto passed = (now - deadline_) / period;
  if (passed > 0) {
    table_->miss(deadlines_between(deadline_ + period, period, table_->counted_from(),
                                   std::min(table_->counted_to(), now + 1ns)));
  }
  deadline_ += period * (passed + 1);
}

// The last is an ordinary deadline, only that it does not count; what is far off is not awaited.
std::optional<io::TimePoint> Timetable::Seat::at_deadline_or_last() {
  if (deadline_ < table_->counted_to()) return deadline_;
  stage_ = Stage::leaving;
  return std::min(deadline_, table_->counted_to() + longest_farewell);
}

// ---- what the table keeps -----------------------------------------------------------------------

// The last to come opens the table when the longest nap is over, and the waking from it.
void Timetable::arrive(io::TimePoint now) noexcept {
  if (here_.fetch_add(1, std::memory_order_relaxed) + 1 != plan_.tasks) return;
  const io::TimePoint begin = now + shortest_nap + (now - made_);
  begin_.store(io::Duration{begin.time_since_epoch()}.count(), std::memory_order_release);
}

io::TimePoint Timetable::first_deadline(std::size_t number) const {
  const io::Duration spread = plan_.period == io::Duration::zero() ? plan_.window : plan_.period;
  const std::size_t place = number * stride_ % plan_.tasks;
  const double share = static_cast<double>(place) / static_cast<double>(plan_.tasks);
  return begin() +
         io::Duration{static_cast<io::Duration::rep>(share * static_cast<double>(spread.count()))};
}

std::uint64_t Timetable::planned() const {
  std::uint64_t sum = 0;
  for (std::size_t number = 0; number != plan_.tasks; ++number) {
    sum += deadlines_between(first_deadline(number), plan_.period, counted_from(), counted_to());
  }
  return sum;
}

void Timetable::record(io::TimePoint deadline, io::TimePoint now) {
  const io::Duration late = now - deadline;
  if (late < io::Duration::zero()) earliest_ = late.count();
  if (deadline < counted_from()) return;
  std::call_once(opened_, [this] { before_ = {ResourceUsage::at_start(), lateness_.count()}; });
  lateness_.record(static_cast<std::uint64_t>(std::max(late, io::Duration::zero()).count()));
}

void Timetable::miss(std::uint64_t deadlines) {
  missed_.fetch_add(deadlines, std::memory_order_relaxed);
}

// The first to wake beyond the window closes it: nobody has left yet. Where the CPU is short, some
// are still late with deadlines of the window; they count for lateness, not for cost.
void Timetable::leave() {
  std::call_once(closed_, [this] { after_ = {ResourceUsage::at_end(), lateness_.count()}; });
  left_.fetch_add(1);
}

void Timetable::report(Port& port, SystemCallCount calls) const {
  const std::uint64_t fired = lateness_.count();
  const std::uint64_t missed = missed_.load();
  if (earliest_ < 0) {
    return port.failure(fmt::format("wrong: a timer fired {} ns early", -earliest_.load()));
  }
  if (left_ != plan_.tasks || fired + missed != planned()) {
    return port.failure(
        fmt::format("wrong: {} of {} tasks ended, {} timers fired and {} were "
                    "missed of {}",
                    left_.load(), plan_.tasks, fired, missed, planned()));
  }
  report_lateness(port, lateness_.collect());
  port.result("missed", static_cast<double>(missed));
  port.result("planned", static_cast<double>(planned()));
  // A window may be too short for any to fire in it, or before somebody has left it.
  if (!before_.usage || before_.usage->at >= after_.usage->at) return;
  const Consumption consumption{*before_.usage, *after_.usage};
  const std::uint64_t fired_between = after_.fired - before_.fired;
  port.result("costed_share", static_cast<double>(fired_between) / static_cast<double>(fired));
  port.result("timers_per_s", static_cast<double>(fired_between) / consumption.elapsed().count());
  consumption.report(port, "timer", fired_between, calls);
}

}  // namespace harness
