// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "harness/histogram.hpp"

namespace harness {

/// A histogram that any thread records into at any time, without a lock: one that waits for
/// another would be measured, too.
class SharedHistogram {
 public:
  SharedHistogram();

  void record(std::uint64_t value) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return count_.load(); }
  /// What has been recorded; while others record, about that.
  [[nodiscard]] Histogram collect() const;

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> sum_{0};
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace harness
