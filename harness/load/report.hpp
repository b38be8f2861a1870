// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "harness/json.hpp"
#include "harness/load/measurement.hpp"

namespace harness::load {

/// The table for people: a column a server, and what to distrust below it.
std::string summary(const Measurement& measurement);

/// The same and more for programs: the plan, every figure, the histograms. Refers to `measurement`.
JsonFields json_fields(const Measurement& measurement);

/// Empty when the figures can be trusted; else the line that says why this run has failed
/// (too_many_errors).
std::string verdict(const Measurement& measurement);

}  // namespace harness::load
