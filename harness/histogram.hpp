// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace harness {

/// How often which value occurred, each value kept to 1.6 %; minimum, maximum, count and sum are
/// exact. Meant for nanoseconds, from 0 to half an hour. Histograms are merged by adding;
/// percentiles are asked of the whole and never averaged. One thread at a time.
class Histogram {
 public:
  struct Bucket {
    std::uint64_t lower;  ///< the smallest value that falls here
    std::uint64_t upper;  ///< the largest
    std::uint64_t count;
  };

  Histogram();
  ~Histogram();
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);

  void record(std::uint64_t value);
  void add(const Histogram& other);
  void clear();

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  [[nodiscard]] double mean() const noexcept;

  /// The value that `percent` (0 to 100) of all values do not exceed, by nearest rank: the upper
  /// edge of its bucket, yet never beyond the exact maximum. 0 for an empty histogram.
  [[nodiscard]] std::uint64_t percentile(double percent) const;
  /// How many values lie in buckets wholly inside [from, to].
  [[nodiscard]] std::uint64_t count_between(std::uint64_t from, std::uint64_t to) const;
  /// The buckets that hold something, in ascending order.
  [[nodiscard]] std::vector<Bucket> buckets() const;
  /// The histogram that had these buckets and exact figures, as read back from a file.
  static Histogram restore(std::span<const Bucket> buckets, std::uint64_t min, std::uint64_t max,
                           double mean);

  /// All of it as a list of numbers, the form in which results travel between processes: each
  /// bucket's lower edge, upper edge and count, then minimum, maximum and mean.
  [[nodiscard]] std::vector<double> flatten() const;
  /// The histogram that was flattened; an empty one for a list that comes from none.
  static Histogram unflatten(std::span<const double> flat);

 private:
  struct Counts;
  std::unique_ptr<Counts> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace harness
