// SPDX-License-Identifier: BSL-1.0
#include "harness/doorbell.hpp"

#include <numeric>
#include <utility>

#include "harness/pin.hpp"
#include "harness/row.hpp"
#include "io/counters.hpp"
#include "io/relax.hpp"

namespace harness {

namespace {

constexpr std::uint64_t warm_up = 32;
/// Enough for any percentile that a row shows.
constexpr std::size_t most_values = 4096;

std::uint64_t system_calls_so_far() {
  const auto& made = io::system_calls().made;
  return std::accumulate(made.begin(), made.end(), std::uint64_t{0});
}

}  // namespace

Doorbell::Doorbell(std::chrono::nanoseconds measure_for) : measure_for_{measure_for} {
  took_ns_.reserve(most_values);
}

std::jthread Doorbell::ring_from_the_other_cpu(std::function<void()> set) {
  if (allowed_cpus().size() < 2) throw Failure{"refused: two CPUs are needed, one is allowed"};
  std::jthread outside{[this, set = std::move(set)] {
    pin_this_thread(0);
    ring(set);
  }};
  pin_this_thread(1);
  return outside;
}

void Doorbell::ring(const std::function<void()>& set) {
  while (rung_ < warm_up) ring_once(set);
  took_ns_.clear();
  calls_before_ = system_calls_so_far();
  began_ = Clock::now();
  do {
    ring_once(set);
  } while (time_left());
  calls_after_ = system_calls_so_far();
  over_ = true;
  set();
}

void Doorbell::ring_once(const std::function<void()>& set) {
  const auto ready_at = Clock::now() + rest;
  while (Clock::now() < ready_at) io::relax();
  ++rung_;
  rung_at_ = Clock::now();
  set();
  while (answered_.load(std::memory_order_acquire) != rung_) io::relax();
}

bool Doorbell::time_left() const {
  return Clock::now() - began_ < measure_for_ && took_ns_.size() < most_values;
}

bool Doorbell::answer() noexcept {
  const std::chrono::duration<double, std::nano> took = Clock::now() - rung_at_;
  if (over_) return false;
  took_ns_.push_back(took.count());
  answered_.store(rung_, std::memory_order_release);
  return true;
}

void Doorbell::report(Port& port) const {
  if (took_ns_.empty()) return port.failure("wrong: nobody was woken");
  port.result("ns_per_wake", took_ns_);
}

void Doorbell::report_with_calls(Port& port) const {
  report(port);
  if (took_ns_.empty()) return;
  port.result("syscalls_per_wake", static_cast<double>(calls_after_ - calls_before_) /
                                       static_cast<double>(took_ns_.size()));
}

}  // namespace harness
