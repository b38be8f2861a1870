// SPDX-License-Identifier: BSL-1.0
#include "harness/verdict/validity.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "harness/cell.hpp"
#include "harness/proc_files.hpp"

namespace harness::verdict {

namespace {

namespace fs = std::filesystem;

constexpr double widest_quartiles = 0.25;
constexpr double least_cpu_share = 0.9;
constexpr double most_for_others = 0.1;

std::uint64_t heat_events() {
  std::uint64_t events = 0;
  std::error_code error;
  const fs::directory_iterator cpus{"/sys/devices/system/cpu", error};
  if (error) return 0;
  for (const auto& cpu : cpus) {
    const auto folder = cpu.path() / "thermal_throttle";
    events += read_number(folder / "core_throttle_count").value_or(0);
  }
  return events;
}

std::uint64_t quota_events() {
  std::uint64_t events = 0;
  for (const auto& group : own_cgroups("cpu")) {
    events += field_number(read_fields(group / "cpu.stat"), "nr_throttled").value_or(0);
  }
  return events;
}

}  // namespace

Throttling Throttling::now() {
  return {heat_events(), quota_events()};
}

std::string clock_source() {
  const auto text = read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return std::string{first_word(text)};
}

bool is_fast_clock(std::string_view source) {
  constexpr std::array<std::string_view, 4> fast{"tsc", "kvm-clock", "arch_sys_counter",
                                                 "hyperv_clocksource_tsc_page"};
  return std::find(fast.begin(), fast.end(), source) != fast.end();
}

bool is_timing(std::string_view counter) {
  // Quartiles and numbers of batches go with the counter they belong to.
  for (const auto* companion : {"_q1", "_q3", "_batches"}) {
    if (counter.ends_with(companion)) return false;
  }
  return counter.find("ns_per_") != std::string_view::npos || counter.ends_with("_ns") ||
         counter.ends_with("_per_s") || counter.starts_with("elapsed_vs_") || counter == "speedup";
}

bool is_lateness(std::string_view counter) {
  return counter.starts_with("lateness_");
}

void doubt_all(Row& row, std::string_view reason, bool (*suffers)(std::string_view counter)) {
  for (const auto& [counter, value] : row.counters()) {
    if (suffers(counter)) row.doubt(reason, counter);
  }
}

void judge_machine(Row& row, const Throttling& before, const Throttling& after,
                   std::string_view clock) {
  if (before != after) doubt_all(row, "throttled", &is_timing);
  if (!is_fast_clock(clock)) doubt_all(row, "slow-clock", &is_timing);
}

void judge_batches(Row& row, bool had_a_cpu_to_itself) {
  const auto counters = row.counters();
  for (const auto& [counter, median] : counters) {
    const auto lower = row.get(fmt::format("{}_q1", counter));
    const auto upper = row.get(fmt::format("{}_q3", counter));
    if (lower && upper && *upper - *lower > widest_quartiles * median) row.doubt("noisy", counter);
  }
  const auto share = row.get("cpu_share");
  if (had_a_cpu_to_itself && share && *share < least_cpu_share) doubt_all(row, "noisy", &is_timing);
}

void judge_others(Row& row, bool (*suffers)(std::string_view counter)) {
  if (row.get("others_cpu_share").value_or(0) <= most_for_others) return;
  doubt_all(row, "noisy", suffers);
}

}  // namespace harness::verdict
