// SPDX-License-Identifier: BSL-1.0
#include "harness/load/measurement.hpp"

#include <cmath>

namespace harness::load {
namespace {

const Plan& checked(const Plan& plan) {
  preflight(plan);
  return plan;
}

}  // namespace

Measurement::Measurement(Plan plan) : plan_{checked(plan)}, pattern_{plan_.bytes} {
  sides_.push_back(std::make_unique<Side>(plan_, plan_.target, pattern_));
  if (plan_.against) sides_.push_back(std::make_unique<Side>(plan_, *plan_.against, pattern_));
}

void Measurement::connect(std::uint64_t connections) {
  for (const auto& side : sides_) side->connect(connections);
}

void Measurement::warm_up() {
  for (const auto& side : sides_) side->warm_up();
}

void Measurement::measure() {
  const TimePoint start = Clock::now();
  const Nanoseconds cpu_before = own_cpu_time();
  if (plan_.against) {
    for (const TimePoint end = start + plan_.measure; Clock::now() < end;) round();
  } else {
    sides_.front()->slice(plan_.measure);
  }
  Nanoseconds busy = own_cpu_time() - cpu_before;
  for (const auto& side : sides_) busy -= side->tally().polled_in_vain;
  own_cpu_share_ = static_cast<double>(busy.count()) /
                   static_cast<double>(Nanoseconds{Clock::now() - start}.count());
}

void Measurement::round() {
  Side& target = *sides_[0];
  Side& other = *sides_[1];
  const Nanoseconds length = plan_.slice();
  double cost = target.slice(length);
  double other_cost = other.slice(length) + other.slice(length);
  cost += target.slice(length);
  if (const double ratio = cost / other_cost; std::isfinite(ratio)) cpu_ratios_.push_back(ratio);
}

void Measurement::disconnect() noexcept {
  for (const auto& side : sides_) side->disconnect();
}

}  // namespace harness::load
