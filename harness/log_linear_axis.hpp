// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace harness {

/// An axis for Boost.Histogram: 64 equal buckets for each power of two, so a bucket is at most 1/64
/// (1.6 %) of its values wide, and values below 128 have a bucket each. The layout of HdrHistogram
/// (Gil Tene). Values from `limit` on share the last bucket.
class LogLinearAxis {
 public:
  static constexpr unsigned precision_bits = 6;
  static constexpr std::uint64_t limit = std::uint64_t{1} << 41;  ///< in nanoseconds: 36 minutes

  [[nodiscard]] static constexpr int size() noexcept { return index(limit - 1) + 1; }

  [[nodiscard]] static constexpr int index(std::uint64_t value) noexcept {
    value = std::min(value, limit - 1);
    const unsigned shift = shift_of(value);
    return static_cast<int>((std::uint64_t{shift} << precision_bits) + (value >> shift));
  }

  /// The smallest value of a bucket.
  [[nodiscard]] static constexpr std::uint64_t lower(int bucket) noexcept {
    const auto position = static_cast<std::uint64_t>(bucket);
    const std::uint64_t row = position >> precision_bits;
    const std::uint64_t shift = row > 1 ? row - 1 : 0;
    return (position - (shift << precision_bits)) << shift;
  }

  /// The largest value of a bucket.
  [[nodiscard]] static constexpr std::uint64_t upper(int bucket) noexcept {
    return lower(bucket + 1) - 1;
  }

  /// As Boost.Histogram calls it when it merges.
  [[nodiscard]] static constexpr std::uint64_t value(int bucket) noexcept { return lower(bucket); }

  friend bool operator==(const LogLinearAxis&, const LogLinearAxis&) = default;

 private:
  static constexpr unsigned shift_of(std::uint64_t value) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    return width > precision_bits + 1 ? width - precision_bits - 1 : 0;
  }
};

}  // namespace harness
