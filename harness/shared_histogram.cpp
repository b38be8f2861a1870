// SPDX-License-Identifier: BSL-1.0
#include "harness/shared_histogram.hpp"

#include "harness/log_linear_axis.hpp"

namespace harness {

SharedHistogram::SharedHistogram() : buckets_(static_cast<std::size_t>(LogLinearAxis::size())) {}

void SharedHistogram::record(std::uint64_t value) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  buckets_[static_cast<std::size_t>(LogLinearAxis::index(value))].fetch_add(1, relaxed);
  count_.fetch_add(1, relaxed);
  sum_.fetch_add(value, relaxed);
  for (auto min = min_.load(relaxed); value < min && !min_.compare_exchange_weak(min, value);) {
  }
  for (auto max = max_.load(relaxed); value > max && !max_.compare_exchange_weak(max, value);) {
  }
}

Histogram SharedHistogram::collect() const {
  std::vector<Histogram::Bucket> filled;
  for (int bucket = 0; bucket != LogLinearAxis::size(); ++bucket) {
    const std::uint64_t count = buckets_[static_cast<std::size_t>(bucket)].load();
    if (count == 0) continue;
    filled.push_back({LogLinearAxis::lower(bucket), LogLinearAxis::upper(bucket), count});
  }
  const auto count = static_cast<double>(count_.load());
  const double mean = count == 0 ? 0 : static_cast<double>(sum_.load()) / count;
  return Histogram::restore(filled, min_.load(), max_.load(), mean);
}

}  // namespace harness
