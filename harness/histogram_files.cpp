// SPDX-License-Identifier: BSL-1.0
#include "harness/histogram_files.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "harness/json.hpp"
#include "harness/row.hpp"

namespace harness {

namespace {

// Both characters are forbidden in names somewhere that results are carried to.
std::string file_name(const Cell& cell) {
  std::string name = cell.name();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == ':'; }, '_');
  return name + ".json";
}

}  // namespace

void keep_histograms(const NamedHistograms& histograms, const Cell& cell, const Options& options) {
  if (!options.histograms) return;
  JsonFields fields{{"row", cell.name()}};
  for (const auto& [name, histogram] : histograms) {
    if (histogram.count() > 0) fields.emplace_back(name, &histogram);
  }
  if (fields.size() == 1) return;
  const auto path = *options.histograms / file_name(cell);
  if (const std::error_code error = write_json(path, fields)) {
    throw Failure{fmt::format("failed: {}: {}", path.string(), error.message())};
  }
}

}  // namespace harness
