// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

#include "stackful/stack.hpp"

namespace stackful {

/// A guard was touched: whose, and where.
struct Overflow {
  Stack stack;                         ///< the one that is overrun
  const std::byte* address = nullptr;  ///< in its guard, so below stack.lowest
};

/// Tells who has run out of stack, before the process dies of it. A fault has no stack left to be
/// handled on, so the calling thread gets an alternate one (sigaltstack); SIGSEGV is taken over for
/// the whole process while any thread watches, and given back afterwards. Faults that are no
/// overflow go to whoever handled them before.
///
/// The method asks one question: in whose guard does the address lie (StackPool::find)? So it finds
/// what a guard finds, and no more: a frame larger than the guard can reach over it, unless code is
/// compiled with -fstack-clash-protection, and stacks without a guard never fault (see Canary).
/// A fiber may run on another worker than the one that has spawned it, whose pool its stack is from
/// (dealt or stolen): a runtime's watches know the pools of all workers
/// (Runtime::report_overflows).
///
/// One a thread at a time, made and destroyed by the thread that it watches.
class OverflowWatch {
 public:
  /// May have interrupted anything, so it may do only what a signal handler may: the overflow
  /// itself is in known code when its caller knows what it runs. It can read all stacks, and end
  /// the process. When it returns, the fault takes its course.
  using Report = void (*)(void* whom, const Overflow& overflow) noexcept;

  /// Watches over all stacks of these pools, whoever they belong to, those to come as well.
  /// Throws std::system_error when the signal or its stack are not to be had, std::logic_error when
  /// this thread is watched already.
  OverflowWatch(std::vector<const StackPool*> pools, Report report, void* whom);
  OverflowWatch(const StackPool& pool, Report report, void* whom);
  /// The same for one stack with a guard page below, e.g. that of the calling thread.
  OverflowWatch(const Stack& stack, Report report, void* whom);
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  OverflowWatch(std::vector<const StackPool*> pools, const Stack& stack, Report report, void* whom);

  static void on_fault(int signal, siginfo_t* fault, void* machine) noexcept;
  [[nodiscard]] Stack overrun_at(const std::byte* address) const noexcept;

  static constinit inline thread_local const OverflowWatch* current_ = nullptr;

  std::vector<const StackPool*> pools_;
  Stack stack_;  // if it is one alone
  std::size_t page_bytes_;
  Report report_;
  void* whom_;
  std::unique_ptr<std::byte[]> signal_stack_;
  stack_t previous_signal_stack_{};
};

/// For stacks without a guard: a mark at the lowest end that an overflow writes over on its way
/// down. It tells afterwards only, when what lies below is damaged already, and a large frame can
/// step over it. Costs a resident page, the lowest.
class Canary {
 public:
  static constexpr std::size_t bytes = 64;

  /// Nobody may be running that deep in the stack.
  explicit Canary(const Stack& stack) noexcept;
  [[nodiscard]] bool is_alive() const noexcept;

 private:
  const std::byte* place_;
};

}  // namespace stackful
