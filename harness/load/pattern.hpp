// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::load {

/// What is sent and must come back: a window on one block of random bytes, whose place is derived
/// from the connection and the sequence number. So a message mixed up, repeated, shifted or cut is
/// told from the right one, while making and comparing it costs one memcmp.
class Pattern {
 public:
  explicit Pattern(std::size_t bytes);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte> message(std::uint32_t connection,
                                                   std::uint64_t sequence) const noexcept;

 private:
  std::size_t bytes_;
  std::vector<std::byte> block_;
};

}  // namespace harness::load
