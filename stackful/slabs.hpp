// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

namespace stackful {

/// Where the slabs of a pool begin. Its owner alone adds to it; any thread may read, and so may a
/// signal handler: nothing that has been added ever moves.
class Slabs {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  /// `index` below a size that this thread has seen.
  [[nodiscard]] std::byte* operator[](std::size_t index) const noexcept {
    const std::size_t part = part_of(index);
    return parts_[part][index + 1 - length_of(part)];
  }

  /// The owner only. Throws std::bad_alloc.
  void push_back(std::byte* slab) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    const std::size_t part = part_of(index);
    if (!parts_[part]) parts_[part] = std::make_unique<std::byte*[]>(length_of(part));
    parts_[part][index + 1 - length_of(part)] = slab;
    size_.store(index + 1, std::memory_order_release);
  }

 private:
  // Each part is twice as long as the one before, so there are few.
  static std::size_t part_of(std::size_t index) noexcept {
    return static_cast<std::size_t>(std::bit_width(index + 1)) - 1;
  }
  static std::size_t length_of(std::size_t part) noexcept { return std::size_t{1} << part; }

  std::array<std::unique_ptr<std::byte*[]>, 32> parts_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace stackful
