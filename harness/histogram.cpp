// SPDX-License-Identifier: BSL-1.0
#include "harness/histogram.hpp"

#include <algorithm>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>
#include <cmath>
#include <tuple>

#include "harness/log_linear_axis.hpp"

namespace harness {

struct Histogram::Counts {
  boost::histogram::histogram<std::tuple<LogLinearAxis>,
                              boost::histogram::dense_storage<std::uint64_t>>
      of{LogLinearAxis{}};

  [[nodiscard]] std::uint64_t at(int bucket) const { return of.at(bucket); }
};

Histogram::Histogram() : counts_{std::make_unique<Counts>()} {}
Histogram::~Histogram() = default;
Histogram::Histogram(const Histogram& other) : Histogram{} {
  add(other);
}

Histogram& Histogram::operator=(const Histogram& other) {
  if (this != &other) {
    clear();
    add(other);
  }
  return *this;
}

void Histogram::record(std::uint64_t value) {
  counts_->of(value);
  ++count_;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

void Histogram::add(const Histogram& other) {
  counts_->of += other.counts_->of;
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

void Histogram::clear() {
  counts_->of.reset();
  count_ = 0;
  min_ = UINT64_MAX;
  max_ = 0;
  sum_ = 0;
}

double Histogram::mean() const noexcept {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  constexpr double rounding = 1e-6;  // 99.9 / 100 * 1000 must not become rank 1000
  const auto rank = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_) - rounding)));
  if (rank >= count_) return max_;
  std::uint64_t passed = 0;
  for (int bucket = 0; bucket + 1 < LogLinearAxis::size(); ++bucket) {
    passed += counts_->at(bucket);
    if (passed >= rank) return std::clamp(LogLinearAxis::upper(bucket), min_, max_);
  }
  return max_;  // the last bucket has no upper edge
}

std::uint64_t Histogram::count_between(std::uint64_t from, std::uint64_t to) const {
  std::uint64_t inside = 0;
  for (const Bucket& bucket : buckets()) {
    if (bucket.lower >= from && bucket.upper <= to) inside += bucket.count;
  }
  return inside;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> filled;
  for (int bucket = 0; bucket < LogLinearAxis::size(); ++bucket) {
    if (const std::uint64_t count = counts_->at(bucket); count > 0) {
      filled.push_back({LogLinearAxis::lower(bucket), LogLinearAxis::upper(bucket), count});
    }
  }
  return filled;
}

Histogram Histogram::restore(std::span<const Bucket> buckets, std::uint64_t min, std::uint64_t max,
                             double mean) {
  Histogram restored;
  for (const Bucket& bucket : buckets) {
    restored.counts_->of.at(LogLinearAxis::index(bucket.lower)) += bucket.count;
    restored.count_ += bucket.count;
  }
  if (restored.count_ > 0) {
    restored.min_ = min;
    restored.max_ = max;
    restored.sum_ = mean * static_cast<double>(restored.count_);
  }
  return restored;
}

std::vector<double> Histogram::flatten() const {
  std::vector<double> flat;
  for (const auto& [lower, upper, count] : buckets()) {
    for (const std::uint64_t number : {lower, upper, count}) {
      flat.push_back(static_cast<double>(number));
    }
  }
  flat.insert(flat.end(), {static_cast<double>(min()), static_cast<double>(max()), mean()});
  return flat;
}

Histogram Histogram::unflatten(std::span<const double> flat) {
  if (flat.empty() || flat.size() % 3 != 0) return {};
  const auto number = [&flat](std::size_t place) {
    return static_cast<std::uint64_t>(flat[place]);
  };
  const std::size_t exact = flat.size() - 3;
  std::vector<Bucket> buckets;
  for (std::size_t place = 0; place != exact; place += 3) {
    buckets.push_back({number(place), number(place + 1), number(place + 2)});
  }
  return restore(buckets, number(exact), number(exact + 1), flat[exact + 2]);
}

}  // namespace harness
