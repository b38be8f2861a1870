// SPDX-License-Identifier: BSL-1.0
#include "harness/bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace harness {
namespace {

constexpr std::size_t resamples = 2'000;
constexpr double outside = 0.025;  // on either side

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Interval bootstrap_median(std::span<const double> values) {
  if (values.empty()) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  std::mt19937_64 random{20240229};  // any fixed seed: an interval is to be reproducible
  std::uniform_int_distribution<std::size_t> any{0, values.size() - 1};
  std::vector<double> sample(values.size());
  std::vector<double> medians(resamples);
  for (double& of_sample : medians) {
    for (double& value : sample) value = values[any(random)];
    of_sample = median(sample);
  }
  std::sort(medians.begin(), medians.end());
  const auto cut = static_cast<std::size_t>(outside * resamples);
  std::vector<double> all{values.begin(), values.end()};
  return {medians[cut], median(all), medians[resamples - 1 - cut]};
}

}  // namespace harness
