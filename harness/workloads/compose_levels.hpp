// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/row.hpp"
#include "harness/workloads/composition.hpp"
#include "harness/workloads/operation.hpp"

namespace harness {

/// An operation that says whether the levels made of the source's value what they had to.
template <class Compose>
auto checked(Source& source, unsigned levels, Compose compose) {
  return [&source, compose, expected = mixed(source.value, levels)] {
    touch(source);
    return compose(source) == expected;
  };
}

/// Measures a composition of `depth` levels, and what a level costs: the slope from one level on.
/// `deep` and `shallow` take a Source and return what `depth` levels, and one, made of its value.
/// Sends `ns_per_op` and what belongs to it, `bytes_per_op` (asked of operator new),
/// `ns_per_level`.
template <class Deep, class Shallow>
void measure_depth(Port& port, unsigned depth, Deep deep, Shallow shallow) {
  Source source;
  const auto operation = checked(source, depth, deep);
  const auto one_level = checked(source, 1, shallow);
  Batches batches{port.measure_for() / 2, 1};
  Batches of_one{port.measure_for() / 2, 1};
  if (!time_batches(batches, operation) || !time_batches(of_one, one_level)) {
    return port.failure("wrong: a level was left out");
  }
  batches.report(port, "op");
  report_bytes(port, "op", 1, operation);
  if (depth == 1) return;
  const double rise = quartiles(batches.values()).median - quartiles(of_one.values()).median;
  port.result("ns_per_level", rise / (depth - 1));
}

}  // namespace harness
