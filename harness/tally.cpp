// SPDX-License-Identifier: BSL-1.0
#include "harness/tally.hpp"

#include <fmt/format.h>

#include "harness/exit_status.hpp"

namespace harness {

void Tally::add(const Row& row) {
  ++rows_;
  ++measured_;
  if (row.doubted()) ++doubted_;
}

void Tally::add(std::string_view row, const Failure& failure) {
  ++rows_;
  if (!failure.is_defect()) return;
  if (defects_++ == 0) first_defect_ = fmt::format("{}: {}", row, failure.what());
}

Outcome Tally::outcome(bool interrupted, bool strict) const {
  if (interrupted) {
    return {was_interrupted,
            fmt::format("interrupted: {} of {} rows are measured", measured_, rows_)};
  }
  if (defects_ > 0) {
    return {has_failed,
            fmt::format("{} of {} rows failed, the first: {}", defects_, rows_, first_defect_)};
  }
  if (strict && doubted_ > 0) {
    return {has_failed,
            fmt::format("{} of {} rows are in doubt, which --strict forbids", doubted_, rows_)};
  }
  return {};
}

}  // namespace harness
