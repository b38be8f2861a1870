// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/subject.hpp"

namespace harness::floors {

/// `floor-page`: what a fresh guarded stack costs the kernel at least. Room for so many stacks,
/// mapped at once; for each a guard page is put below and the topmost byte written.
class GuardedPages {
 public:
  /// `guard` is none, mprotect or madvise (Linux 6.13). Throws std::system_error when the room is
  /// not to be had.
  GuardedPages(std::size_t count, std::size_t stack_bytes, std::string_view guard);
  ~GuardedPages();
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  /// The next so many, of those there is room for; ends at the first guard that is refused.
  std::error_code make(std::size_t stacks) noexcept;
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

 private:
  enum class Guard { none, mprotect, madvise };

  Guard guard_;
  std::size_t page_bytes_;
  std::size_t stride_;
  std::size_t bytes_;
  std::size_t made_ = 0;
  std::byte* mapping_;
};

/// `stacks/floor-page/stack:BYTES/guard:G` for bench-stacks, with as many stacks as its map has.
std::vector<Subject> page_subjects();

}  // namespace harness::floors
