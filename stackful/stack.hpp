// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <system_error>

#include "stackful/guard.hpp"
#include "stackful/options.hpp"
#include "stackful/registered_stacks.hpp"
#include "stackful/slabs.hpp"

namespace stackful {

/// A borrowed stack. It grows down from `top` (cache-line aligned); below `lowest` lies the guard.
struct Stack {
  std::byte* top = nullptr;
  std::byte* lowest = nullptr;

  /// Usable bytes, read back from what has been mapped: at least Options::stack_bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(top - lowest);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return top != nullptr; }
};

/// Maps stacks in slabs, directly: an allocator's header would touch a page more a stack. Ended
/// stacks are used again, the last one first. Belongs to one thread; what any other may call says
/// so.
///
///     lower addresses                                                            higher
///     | guard page | usable ............................... top | colour gap | next guard page |
///
/// No huge pages: one touched byte would make two megabytes resident. MAP_NORESERVE: a million
/// stacks reserve more than there is memory, and touch a page each.
class StackPool {
 public:
  /// Throws std::system_error: StackError::stack_too_small, StackError::no_lightweight_guards.
  explicit StackPool(const Options& options);
  ~StackPool();  ///< unmaps all stacks, those never given back as well
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// An empty stack and an `error` when there is none to be had: ENOMEM, StackError::max_map_count.
  Stack take(std::error_code& error);
  /// Nobody may be running on it. What becomes of its pages is the Recycling's business.
  void give_back(Stack stack) noexcept;

  /// The same from any thread: the owner finds it when it has no other idle stack.
  void give_back_from_elsewhere(Stack stack) noexcept;

  /// Which stack an address belongs to, its guard below included: whose overflow a fault is. Empty
  /// for any other. Any thread, and a signal handler, too: it only reads, and nothing ever moves.
  [[nodiscard]] Stack find(const void* address) const noexcept;
  /// All stacks made so far, lent or not, in the order of their making.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::size_t made = created();
    for (std::size_t i = 0; i != made; ++i) visit(nth(i));
  }

  [[nodiscard]] Guard guard() const noexcept { return guard_; }
  /// What each stack can use at least.
  [[nodiscard]] std::size_t stack_bytes() const noexcept { return stack_bytes_; }
  /// How many stacks have been made so far, lent or waiting to be used again.
  [[nodiscard]] std::size_t created() const noexcept {
    return created_.load(std::memory_order_acquire);
  }
  /// How many are lent and have not come back. Visits all that have, so nothing counts on the way.
  [[nodiscard]] std::size_t lent() const noexcept;

 private:
  struct Idle;  // lives in the topmost bytes of a stack that waits to be used again

  std::error_code map_slab();
  void trim(const Stack& stack) const noexcept;
  [[nodiscard]] Stack nth(std::size_t index) const noexcept;
  Idle* to_idle(const Stack& stack) const noexcept;

  std::size_t page_bytes_;
  std::size_t stack_bytes_;
  Guard guard_;
  bool colouring_;
  Recycling recycling_;
  bool painted_;
  std::size_t slot_bytes_;

  Idle* idle_ = nullptr;
  std::atomic<Idle*> returned_{nullptr};  // by other threads
  std::atomic<std::size_t> created_{0};   // written by the owner
  Slabs slabs_;                           // each full but the last
  MappingBudget budget_;
  RegisteredStacks registered_;
};

}  // namespace stackful
