// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/histogram.hpp"
#include "harness/row.hpp"
#include "harness/subject.hpp"

namespace harness {

/// Sends `lateness_p50_ns`, `…_p90_ns`, `…_p99_ns`, `…_p999_ns`, `…_max_ns`, and the histogram as a
/// whole. Nothing when nothing was late, or could have been.
void report_lateness(Port& port, const Histogram& lateness);

/// The parent's side: takes the histogram out of the results, where it would be no counter; empty
/// when there is none.
Histogram take_lateness(Results& results);

}  // namespace harness
