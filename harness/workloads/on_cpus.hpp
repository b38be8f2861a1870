// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <vector>

#include "harness/pin.hpp"
#include "io/clock.hpp"

namespace harness {

/// Keeps this thread, and those it starts, on as many CPUs as there are workers, while it lives.
class OnCpus {
 public:
  explicit OnCpus(unsigned count) : all_{allowed_cpus()} {
    allow_cpus({all_.end() - std::min<std::ptrdiff_t>(count, std::ssize(all_)), all_.end()});
  }
  ~OnCpus() { allow_cpus(all_); }
  OnCpus(const OnCpus&) = delete;
  OnCpus& operator=(const OnCpus&) = delete;

 private:
  std::vector<int> all_;
};

/// One round after the other until the time is used up; `round(number)`.
template <class Round>
void repeat(std::chrono::nanoseconds measure_for, Round round) {
  constexpr std::size_t fewest_rounds = 5;
  const io::TimePoint end = io::Clock::now() + measure_for;
  for (std::size_t made = 0; made < fewest_rounds || io::Clock::now() < end; ++made) round(made);
}

}  // namespace harness
