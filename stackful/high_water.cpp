// SPDX-License-Identifier: BSL-1.0
#include "stackful/high_water.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace stackful {
namespace {

constexpr std::byte pattern{0x5a};

std::byte* page_of(std::byte* address, std::size_t page_bytes) {
  return address - reinterpret_cast<std::uintptr_t>(address) % page_bytes;
}

}  // namespace

HighWater high_water_by_pages(const Stack& stack, std::error_code& error) {
  error.clear();
  HighWater found;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::array<unsigned char, 256> resident{};
  std::byte* const end = page_of(stack.top - 1, page_bytes) + page_bytes;
  std::byte* from = page_of(stack.lowest, page_bytes);
  while (from != end) {
    const auto pages = std::min(resident.size(), static_cast<std::size_t>(end - from) / page_bytes);
    if (mincore(from, pages * page_bytes, resident.data()) != 0) {
      error = {errno, std::system_category()};
      return {};
    }
    for (std::size_t page = 0; page != pages; ++page, from += page_bytes) {
      if ((resident[page] & 1U) == 0) continue;
      found.resident_bytes += page_bytes;
      found.bytes = std::max(found.bytes, static_cast<std::size_t>(stack.top - from));
    }
  }
  return found;
}

void paint(const Stack& stack) noexcept {
  std::fill(stack.lowest, stack.top, pattern);
}

// Reads what belongs to the frames of others, which AddressSanitizer would object to.
__attribute__((no_sanitize("address"))) std::size_t high_water_by_paint(
    const Stack& stack) noexcept {
  const std::byte* unchanged = stack.lowest;
  while (unchanged != stack.top && *unchanged == pattern) ++unchanged;
  return static_cast<std::size_t>(stack.top - unchanged);
}

HighWater high_water_by_pages(const StackPool& pool, std::error_code& error) {
  error.clear();
  HighWater all;
  pool.for_each([&](const Stack& stack) {
    if (error) return;
    const HighWater one = high_water_by_pages(stack, error);
    all.bytes = std::max(all.bytes, one.bytes);
    all.resident_bytes += one.resident_bytes;
  });
  return error ? HighWater{} : all;
}

std::size_t high_water_by_paint(const StackPool& pool) noexcept {
  std::size_t deepest = 0;
  pool.for_each(
      [&](const Stack& stack) { deepest = std::max(deepest, high_water_by_paint(stack)); });
  return deepest;
}

}  // namespace stackful
