// SPDX-License-Identifier: BSL-1.0
#include "stackful/guard.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace stackful {
namespace {

// Newer than the C library's headers: linux/mman.h since 6.13.
constexpr int advice_guard_install = 102;

class StackCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "stack"; }

  [[nodiscard]] std::string message(int value) const override {
    switch (static_cast<StackError>(value)) {
      case StackError::max_map_count:
        return "max_map_count leaves no mapping for another guard page";
      case StackError::no_lightweight_guards:
        return "this kernel has no lightweight guards (MADV_GUARD_INSTALL, Linux 6.13)";
      case StackError::stack_too_small:
        return "the stack is too small for what is to run on it";
    }
    return "unknown stack error";
  }

  [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<StackError>(value)) {
      case StackError::max_map_count:
        return std::errc::not_enough_memory;
      case StackError::no_lightweight_guards:
        return std::errc::not_supported;
      case StackError::stack_too_small:
        return std::errc::invalid_argument;
    }
    return {value, *this};
  }
};

std::error_code last_error() {
  return {errno, std::system_category()};
}

}  // namespace

std::string_view name(Guard guard) noexcept {
  switch (guard) {
    case Guard::none:
      return "none";
    case Guard::mprotect:
      return "mprotect";
    case Guard::madvise:
      return "madvise";
  }
  return "unknown";
}

bool lightweight_guards_work() noexcept {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool works = madvise(page, bytes, advice_guard_install) == 0;
  return munmap(page, bytes) == 0 && works;
}

Guard lightest_guard() noexcept {
  static const Guard guard = lightweight_guards_work() ? Guard::madvise : Guard::mprotect;
  return guard;
}

const std::error_category& stack_category() noexcept {
  static const StackCategory category;
  return category;
}

std::error_code make_error_code(StackError error) noexcept {
  return {static_cast<int>(error), stack_category()};
}

MappingCount count_mappings(std::error_code& error) {
  error = std::make_error_code(std::errc::io_error);
  MappingCount count;
  std::ifstream limit{"/proc/sys/vm/max_map_count"};
  std::ifstream maps{"/proc/self/maps"};
  if (!(limit >> count.limit) || !maps) return {};
  const auto lines = std::count(std::istreambuf_iterator<char>{maps}, {}, '\n');
  if (maps.bad()) return {};
  count.reached = static_cast<std::size_t>(lines);
  error.clear();
  return count;
}

std::error_code MappingBudget::take(std::size_t mappings) {
  if (left_ < mappings) {
    std::error_code error;
    const MappingCount count = count_mappings(error);
    if (error) return error;
    const std::size_t used = count.reached + reserve;
    const std::size_t free = count.limit > used ? count.limit - used : 0;
    if (free < mappings) return StackError::max_map_count;
    left_ = std::max(mappings, free / 4 * 3);
  }
  left_ -= mappings;
  return {};
}

std::error_code install(Guard guard, std::byte* page, std::size_t page_bytes,
                        MappingBudget& budget) {
  switch (guard) {
    case Guard::none:
      return {};
    case Guard::mprotect:
      if (std::error_code error = budget.take(2)) return error;
      return ::mprotect(page, page_bytes, PROT_NONE) == 0 ? std::error_code{} : last_error();
    case Guard::madvise:
      return ::madvise(page, page_bytes, advice_guard_install) == 0 ? std::error_code{}
                                                                    : last_error();
  }
  return std::make_error_code(std::errc::invalid_argument);
}

}  // namespace stackful
