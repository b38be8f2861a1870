// SPDX-License-Identifier: BSL-1.0
#include "io/counters.hpp"

#include "io/thread_tally.hpp"

namespace io {
namespace {

using Tally = ThreadTally<system_call_kinds>;

constinit Tally tally;
thread_local constinit Tally::Share mine;

}  // namespace

SystemCalls operator-(const SystemCalls& later, const SystemCalls& earlier) {
  SystemCalls difference;
  for (std::size_t kind = 0; kind != system_call_kinds; ++kind) {
    difference.made[kind] = later.made[kind] - earlier.made[kind];
  }
  return difference;
}

void count(SystemCall kind) noexcept {
  tally.add(mine, static_cast<std::size_t>(kind));
}

void count_shared(SystemCall kind) noexcept {
  tally.add_shared(static_cast<std::size_t>(kind));
}

SystemCalls system_calls() {
  return {tally.sum()};
}

}  // namespace io
