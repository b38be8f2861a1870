// SPDX-License-Identifier: BSL-1.0
#include "harness/others.hpp"

#include <algorithm>

#include "harness/resource_usage.hpp"

namespace harness {

Others::Others(std::vector<int> cpus, std::vector<const Process*> ours)
    : cpus_{std::move(cpus)}, ours_{std::move(ours)} {
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
  before_ = used();
}

std::optional<double> Others::share() const {
  const auto after = used();
  if (!before_ || !after) return std::nullopt;
  const auto available =
      (std::chrono::steady_clock::now() - begun_) * static_cast<long>(cpus_.size());
  return std::max(0.0, std::chrono::duration<double>{*after - *before_} / available);
}

std::optional<std::chrono::nanoseconds> Others::used() const {
  std::chrono::nanoseconds sum{};
  for (const int cpu : cpus_) {
    const auto busy = busy_time(cpu);
    if (!busy) return std::nullopt;
    sum += *busy;
  }
  for (const Process* process : ours_) sum -= process->cpu_time();
  return sum;
}

}  // namespace harness
