// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <system_error>

namespace stackful {

/// What lies beneath a stack to turn an overflow into a fault.
enum class Guard {
  none,      ///< nothing: an overflow silently writes into the neighbour
  mprotect,  ///< a page without access; splits the mapping, so each stack takes two mappings
  madvise,   ///< a guard marker in the page table (Linux 6.13); takes no mapping
};

std::string_view name(Guard guard) noexcept;

/// Whether this kernel knows lightweight guards. Tried once a call, on a page of its own.
bool lightweight_guards_work() noexcept;

/// `madvise` where the kernel has it, else `mprotect`. Asked once; any thread.
Guard lightest_guard() noexcept;

/// Why a stack could not be had, beside what the system says itself.
enum class StackError {
  max_map_count = 1,      ///< compares equal to std::errc::not_enough_memory
  no_lightweight_guards,  ///< compares equal to std::errc::not_supported
  stack_too_small,        ///< compares equal to std::errc::invalid_argument
};

const std::error_category& stack_category() noexcept;
std::error_code make_error_code(StackError error) noexcept;

/// How many mappings this process has, and may have (vm.max_map_count).
struct MappingCount {
  std::size_t reached = 0;
  std::size_t limit = 0;
};
MappingCount count_mappings(std::error_code& error);

/// Hands out the right to split mappings before the kernel refuses: a process that has reached the
/// limit cannot map anything any more, and breaks in places that know nothing of stacks.
/// Counting costs milliseconds when there are many, so a count is good for a share of what it
/// found.
class MappingBudget {
 public:
  /// Left to the rest of the process.
  static constexpr std::size_t reserve = 1024;

  /// StackError::max_map_count when `mappings` more would touch the reserve.
  std::error_code take(std::size_t mappings);

 private:
  std::size_t left_ = 0;
};

/// Puts the guard on one page. `budget` is asked first where the strategy takes mappings.
std::error_code install(Guard guard, std::byte* page, std::size_t page_bytes,
                        MappingBudget& budget);

}  // namespace stackful

template <>
struct std::is_error_code_enum<stackful::StackError> : std::true_type {};
