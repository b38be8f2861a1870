// SPDX-License-Identifier: BSL-1.0
#include "harness/load/pattern.hpp"

#include <bit>

namespace harness::load {
namespace {

constexpr unsigned place_bits = 16;  // 65,536 windows: the block stays in the second-level cache

// SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

Pattern::Pattern(std::size_t bytes)
    : bytes_{bytes}, block_(bytes + (std::size_t{1} << place_bits)) {
  std::uint64_t position = 0;
  for (std::byte& byte : block_) byte = static_cast<std::byte>(mix(position++) >> 56);
}

std::span<const std::byte> Pattern::message(std::uint32_t connection,
                                            std::uint64_t sequence) const noexcept {
  const std::uint64_t place =
      mix(sequence ^ std::rotl(std::uint64_t{connection}, 40)) >> (64 - place_bits);
  return std::span{block_}.subspan(place, bytes_);
}

}  // namespace harness::load
