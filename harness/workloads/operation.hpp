// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string_view>

#include "harness/allocations.hpp"
#include "harness/batches.hpp"
#include "harness/subject.hpp"

namespace harness {

/// Times an operation in batches; false as soon as a batch had one whose answer was wrong.
template <class Operation>
bool time_batches(Batches& batches, const Operation& operation) {
  bool right = true;
  batches.start();
  do {
    for (auto rounds = batches.rounds(); rounds > 0; --rounds) right = operation() && right;
  } while (right && batches.lap());
  return right;
}

/// Sends `bytes_per_UNIT`: what one more operation, of so many units, asks of operator new in all.
/// Nothing under a sanitizer, whose operators have to stay.
template <class Operation>
void report_bytes(Port& port, std::string_view unit, double units, const Operation& operation) {
  const auto before = allocated_bytes();
  operation();
  const auto after = allocated_bytes();
  if (!before || !after) return;
  port.result(fmt::format("bytes_per_{}", unit), static_cast<double>(*after - *before) / units);
}

}  // namespace harness
