// SPDX-License-Identifier: BSL-1.0
#include "harness/rounds.hpp"

#include <ctime>
#include <fmt/format.h>

namespace harness {

namespace {

std::chrono::nanoseconds cpu_time() noexcept {
  timespec used{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);  // cannot fail with these arguments
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

}  // namespace

Rounds::Rounds(std::chrono::nanoseconds measure_for) noexcept
    : measure_for_{measure_for}, first_began_{Clock::now()} {}

// The time of the share lies around the CPU time, that of the values within: so the share is at
// most one, and no look at the CPU's clock is in the values.
void Rounds::begin() noexcept {
  share_began_ = Clock::now();
  cpu_began_ = cpu_time();
  began_ = Clock::now();
}

void Rounds::end(std::uint64_t operations) {
  const std::chrono::nanoseconds took = Clock::now() - began_;
  if (warm_) {
    const std::chrono::nanoseconds cpu = cpu_time() - cpu_began_;
    cpu_ += cpu;
    elapsed_ += Clock::now() - share_began_;
    cpu_values_.push_back(static_cast<double>(cpu.count()) / static_cast<double>(operations));
    values_.push_back(static_cast<double>(took.count()) / static_cast<double>(operations));
  }
  warm_ = true;
}

bool Rounds::enough() const noexcept {
  return values_.size() + 1 >= fewest && Clock::now() - first_began_ >= measure_for_;
}

void Rounds::report(Port& port, std::string_view unit) const {
  port.result(fmt::format("ns_per_{}", unit), values_);
  port.result(fmt::format("cpu_ns_per_{}", unit), cpu_values_);
  port.result("cpu_share",
              static_cast<double>(cpu_.count()) / static_cast<double>(elapsed_.count()));
}

}  // namespace harness
