// SPDX-License-Identifier: BSL-1.0
#include "harness/verdict/saturation.hpp"

#include "harness/verdict/validity.hpp"

namespace harness::verdict {

namespace {

constexpr double most_missed = 0.01;
constexpr double least_costed = 0.75;

bool is_cost(std::string_view counter) {
  return counter.ends_with("_per_timer") || counter == "timers_per_s" || counter == "cpu_share";
}

}  // namespace

void judge_saturation(Row& row) {
  if (row.get("missed").value_or(0) > most_missed * row.get("planned").value_or(0)) {
    doubt_all(row, "saturated", &is_lateness);
  }
  if (row.get("costed_share").value_or(1) < least_costed) doubt_all(row, "saturated", &is_cost);
}

}  // namespace harness::verdict
