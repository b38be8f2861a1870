// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/cell.hpp"
#include "harness/histogram.hpp"
#include "harness/options.hpp"

namespace harness {

using NamedHistograms = std::vector<std::pair<std::string, Histogram>>;

/// Writes a row's histograms, those that hold something, into the folder of --histograms, if there
/// is one: a file named after the row, `/` and `:` replaced by `_`. Throws Failure when it cannot
/// be written.
void keep_histograms(const NamedHistograms& histograms, const Cell& cell, const Options& options);

}  // namespace harness
