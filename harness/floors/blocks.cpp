// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/blocks.hpp"

#include <cstdlib>
#include <cstring>

namespace harness::floors {

namespace {

/// Keeps the compiler from proving that nobody looks at the block, and from leaving it out.
void show(void* block) noexcept {
  asm volatile("" : : "g"(block) : "memory");
}

}  // namespace

Blocks::Blocks(std::size_t alive) {
  alive_.reserve(alive);
  for (std::size_t i = 0; i < alive; ++i) alive_.push_back(std::make_unique<Block>());
}

std::uint64_t Blocks::come_and_go(std::uint64_t births) noexcept {
  std::uint64_t lived = 0;
  for (std::uint64_t birth = 0; birth < births; ++birth) {
    void* const block = std::malloc(bytes);
    if (block == nullptr) return lived;
    std::memcpy(block, &birth, sizeof birth);
    show(block);
    std::uint64_t held = 0;
    std::memcpy(&held, block, sizeof held);
    lived += held == birth;
    std::free(block);
  }
  return lived;
}

}  // namespace harness::floors
