// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace harness::floors {

/// Stacks for the bare switches: mapped at once, their tops spread over the cache's sets, no huge
/// pages, no guards (nothing is ever called deeply on them).
class Stacks {
 public:
  /// Room for a signal handler's frame with the widest registers. An odd number of pages: a power
  /// of two between the stacks would leave most sets of the second-level cache unused.
  static constexpr std::size_t bytes = std::size_t{12} * 1024;

  explicit Stacks(std::size_t count);  ///< throws std::system_error
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// Makes a `T` at the top of stack `index`, where a task's own state lies. The stack grows down
  /// from the object's address, which is a multiple of 64.
  template <class T>
  T& make_at_top(std::size_t index) {
    static_assert(sizeof(T) <= cache_line && std::is_trivially_destructible_v<T>);
    return *::new (top(index) - cache_line) T{};
  }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t colours = 32;

  [[nodiscard]] std::byte* top(std::size_t index) const noexcept;

  std::size_t count_;
  std::byte* mapping_;
};

}  // namespace harness::floors
