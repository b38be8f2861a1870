// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>

#include "harness/growing/calls.hpp"

namespace harness::growing {

std::uint64_t foreign(std::uint64_t number, Distance& distance) {
  std::array<volatile std::byte, 1024> own;
  own.front() = std::byte{1};
  distance.callee = reinterpret_cast<std::uintptr_t>(own.data());
  return number - 1 + static_cast<std::uint64_t>(own.front());
}

}  // namespace harness::growing
