// SPDX-License-Identifier: BSL-1.0
#include "harness/half_rates.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "harness/proc_files.hpp"
#include "harness/row.hpp"

namespace harness {

double half_of(double ops_per_s) {
  const double half = std::max(ops_per_s / 2, 1.0);
  const double step = std::pow(10, std::max(std::floor(std::log10(half)) - 1, 0.0));
  return std::round(half / step) * step;
}

// One line each: `SHAPE: RATE`.
HalfRates::HalfRates(std::filesystem::path file) : file_{std::move(file)} {
  if (file_.empty()) return;
  const Fields kept = read_fields(file_);
  for (const auto& [shape, text] : kept) {
    const auto rate = field_number(kept, shape);
    if (rate && *rate > 0) known_[shape] = static_cast<double>(*rate);
  }
}

std::optional<double> HalfRates::find(const std::string& shape) const {
  const auto found = known_.find(shape);
  return found == known_.end() ? std::nullopt : std::optional{found->second};
}

void HalfRates::keep(const std::string& shape, double rate, bool for_good) {
  known_[shape] = rate;
  if (!for_good || file_.empty()) return;
  std::ofstream out{file_, std::ios::app};
  out << fmt::format("{}: {:.0f}\n", shape, rate) << std::flush;
  if (!out) throw Failure{fmt::format("failed: --half-rates: cannot write {}", file_.string())};
}

}  // namespace harness
