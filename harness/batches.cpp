// SPDX-License-Identifier: BSL-1.0
#include "harness/batches.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "harness/allocations.hpp"
#include "harness/process.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// Enough for quartiles; no batch so long that one interruption spoils many operations' time.
constexpr auto batches_wanted = 64;
constexpr std::chrono::nanoseconds shortest_batch = 100us;
constexpr std::chrono::nanoseconds longest_batch = 20ms;
constexpr std::size_t most_batches = 4096;
/// However long one round takes, quartiles need a few of them.
constexpr std::size_t fewest_batches = 5;

}  // namespace

Batches::Batches(std::chrono::nanoseconds measure_for, std::uint64_t operations_per_round)
    : measure_for_{measure_for},
      batch_for_{std::clamp(measure_for / batches_wanted, shortest_batch, longest_batch)},
      operations_per_round_{operations_per_round} {
  values_.reserve(most_batches);  // so that keeping a value allocates nothing
}

void Batches::start() noexcept {
  batch_began_ = Clock::now();
}

bool Batches::lap(std::uint64_t operations, Clock::time_point now) noexcept {
  const std::chrono::nanoseconds took = now - batch_began_;
  if (!measuring_) {
    size_up(took);
    return true;
  }
  values_.push_back(static_cast<double>(took.count()) / static_cast<double>(operations));
  operations_ += operations;
  const bool time_left = now - measuring_began_ < measure_for_ || values_.size() < fewest_batches;
  if (time_left && values_.size() < most_batches) {
    batch_began_ = Clock::now();
    return true;
  }
  ended_ = now;
  after_ = usage();
  return false;
}

void Batches::size_up(std::chrono::nanoseconds took) noexcept {
  constexpr std::uint64_t boldest_step = 10;
  if (took < batch_for_ / 2) {
    long_enough_ = 0;
    const auto ratio = batch_for_ / std::max(took, std::chrono::nanoseconds{1});
    rounds_ *= std::clamp<std::uint64_t>(static_cast<std::uint64_t>(ratio), 2, boldest_step);
    batch_began_ = Clock::now();
    return;
  }
  // Once can be somebody else's doing: a size that is long by an interruption would be far too
  // small.
  if (++long_enough_ < 2) {
    batch_began_ = Clock::now();
    return;
  }
  measuring_ = true;
  before_ = usage();
  measuring_began_ = batch_began_ = Clock::now();
}

Batches::Usage Batches::usage() const noexcept {
  Usage now;
  const auto& made = io::system_calls().made;
  now.system_calls = std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  now.allocations = allocations();
  (void)getrusage(RUSAGE_SELF, &now.process);  // cannot fail with these arguments
  now.cpu = {cpu_time(now.process), group_clock_.now()};
  return now;
}

void Batches::report(Port& port, std::string_view unit, std::string_view calls) const {
  const auto operations = static_cast<double>(operations_);
  port.result(fmt::format("ns_per_{}", unit), values_);
  port.result(fmt::format("{}_per_{}", calls, unit),
              static_cast<double>(after_.system_calls - before_.system_calls) / operations);
  if (after_.allocations && before_.allocations) {
    port.result(fmt::format("allocs_per_{}", unit),
                static_cast<double>(*after_.allocations - *before_.allocations) / operations);
  }
  port.result("involuntary_switches",
              static_cast<double>(after_.process.ru_nivcsw - before_.process.ru_nivcsw));
  const std::chrono::duration<double> cpu = used_between(before_.cpu, after_.cpu);
  port.result("cpu_share", cpu / std::chrono::duration<double>{ended_ - measuring_began_});
}

}  // namespace harness
