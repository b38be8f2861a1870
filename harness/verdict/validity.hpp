// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/row.hpp"

namespace harness::verdict {

/// How often the machine has been held back so far: by heat (all CPUs) and by the CPU quota of this
/// process's cgroups. What cannot be read counts as 0.
struct Throttling {
  std::uint64_t by_heat = 0;
  std::uint64_t by_quota = 0;

  static Throttling now();
  friend bool operator==(const Throttling&, const Throttling&) = default;
};

/// The kernel's clock source, and whether reading it costs no exit from the machine it runs on.
std::string clock_source();
bool is_fast_clock(std::string_view source);

/// Whether a counter tells a time, a rate, or times by one another (`elapsed_vs_…`, `speedup`), by
/// its name; ratios taken within slices and counts of bytes or calls do not suffer with them.
bool is_timing(std::string_view counter);
/// Whether it tells how late somebody was.
bool is_lateness(std::string_view counter);

/// Doubts, for a reason, every counter that suffers by its name.
void doubt_all(Row& row, std::string_view reason, bool (*suffers)(std::string_view counter));

/// Doubts the timings of a row for what happened to the machine meanwhile: `throttled`,
/// `slow-clock`.
void judge_machine(Row& row, const Throttling& before, const Throttling& after,
                   std::string_view clock);

/// Doubts (`noisy`) what a subject measured of itself: batches whose quartiles lie further apart
/// than a quarter of the median; and, for one that had a CPU to itself, every timing when it ran
/// for less than nine tenths of the time.
void judge_batches(Row& row, bool had_a_cpu_to_itself);

/// Doubts (`noisy`) what suffers from others on the subject's CPUs when they had more than a tenth
/// of them (`others_cpu_share`).
void judge_others(Row& row, bool (*suffers)(std::string_view counter) = &is_timing);

}  // namespace harness::verdict
