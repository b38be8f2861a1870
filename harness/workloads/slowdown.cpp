// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/slowdown.hpp"

#include <chrono>
#include <vector>

namespace harness {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Far longer than the clock is fine, far shorter than what disturbs a machine.
constexpr std::chrono::nanoseconds slice = 500us;

/// Work whose steps wait for each other, so that no compiler and no processor can shorten it.
std::uint64_t work(std::uint64_t steps, std::uint64_t value) {
  for (; steps > 0; --steps) value = value * 6364136223846793005U + 1442695040888963407U;
  return value;
}

std::chrono::duration<double> time_of(std::uint64_t steps) {
  const auto start = Clock::now();
  const std::uint64_t result = work(steps, steps);
  asm volatile("" : : "r"(result));
  return Clock::now() - start;
}

std::uint64_t steps_of_a_slice() {
  std::uint64_t steps = 1000;
  while (time_of(steps) < slice) steps += steps / 2;
  return steps;
}

void run(Port& port, const Cell& cell) {
  const std::uint64_t plain = steps_of_a_slice();
  const std::uint64_t slower = plain + plain * cell.number("percent") / 100;
  std::vector<double> ratios;
  const auto end = Clock::now() + port.measure_for();
  do {
    auto a = time_of(plain);
    auto b = time_of(slower);
    b += time_of(slower);
    a += time_of(plain);
    ratios.push_back(b / a);
  } while (Clock::now() < end);
  port.result("ratio", ratios);
}

}  // namespace

Subject slowdown_subject() {
  return {"selftest", "slowdown", &run};
}

}  // namespace harness
