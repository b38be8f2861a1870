// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace harness {

/// Calls that use a stack as much as is asked for: each has `bytes_a_call` of its own, writes to
/// every cache line of it before it calls the next, and looks at what it wrote after that has
/// returned. None is larger than a page, so none reaches over a guard.
///
/// One for all tasks of a thread: whoever descends is in it alone until it has reached its end.
class CallChain {
 public:
  static constexpr std::size_t bytes_a_call = 256;

  /// Goes `calls` deep, at least one, calls `at_end()`, and returns through all of them. How many
  /// found their bytes as they had left them.
  template <class AtEnd>
  std::uint64_t descend(std::uint64_t calls, AtEnd&& at_end) {
    return call(1, calls, at_end);
  }

  /// The call that the last descent has come to, and the lowest byte of it: meant for a look from
  /// outside, when the descent does not come back.
  [[nodiscard]] std::uint64_t reached() const noexcept { return reached_; }
  [[nodiscard]] const std::byte* lowest() const noexcept {
    return reinterpret_cast<const std::byte*>(lowest_);  // NOLINT(performance-no-int-to-ptr)
  }

 private:
  static constexpr std::size_t cache_line = 64;

  template <class AtEnd>
  [[gnu::noinline]] std::uint64_t call(std::uint64_t number, std::uint64_t last, AtEnd& at_end) {
    std::array<volatile std::byte, bytes_a_call> own;
    reached_ = number;
    lowest_ = reinterpret_cast<std::uintptr_t>(own.data());
    const auto mark = static_cast<std::byte>(number);
    for (std::size_t line = 0; line < bytes_a_call; line += cache_line) own[line] = mark;
    std::uint64_t intact = 0;
    if (number == last) {
      at_end();
    } else {
      intact = call(number + 1, last, at_end);
    }
    for (std::size_t line = 0; line < bytes_a_call; line += cache_line) {
      if (own[line] != mark) return intact;
    }
    return intact + 1;
  }

  volatile std::uint64_t reached_ = 0;
  volatile std::uintptr_t lowest_ = 0;
};

}  // namespace harness
