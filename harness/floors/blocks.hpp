// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace harness::floors {

/// `floor-allocate`: a block as large as a small task is allocated, written to and freed, beside
/// `alive` others that stay.
class Blocks {
 public:
  static constexpr std::size_t bytes = 128;

  explicit Blocks(std::size_t alive);

  /// Returns the births whose block could be had and held what was written.
  std::uint64_t come_and_go(std::uint64_t births) noexcept;

 private:
  struct Block {
    std::byte content[bytes];
  };
  std::vector<std::unique_ptr<Block>> alive_;
};

}  // namespace harness::floors
