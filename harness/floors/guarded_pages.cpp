// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/guarded_pages.hpp"

#include <cerrno>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/limits.hpp"
#include "harness/rounds.hpp"
#include "harness/workloads/stacks.hpp"

namespace harness::floors {

namespace {

/// MADV_GUARD_INSTALL, newer than the C library's headers.
constexpr int advice_guard_install = 102;

void run(Port& port, const Cell& cell) {
  const auto stack_bytes = static_cast<std::size_t>(cell.number("stack"));
  const std::size_t count = stacks_at_once(stack_bytes);
  const std::string guard = cell.text("guard", "none");
  Rounds rounds{port.measure_for()};
  do {
    GuardedPages pages{count, stack_bytes, guard};
    rounds.begin();
    const std::error_code error = pages.make(count);
    rounds.end(count);
    if (error == std::errc::invalid_argument) {
      return port.failure("refused: this kernel has no lightweight guards");
    }
    if (error) return port.failure(refusal(error, count));
  } while (!rounds.enough());
  rounds.report(port, "create");
}

std::error_code last_error() {
  return {errno, std::system_category()};
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::system_category(), what};
}

}  // namespace

GuardedPages::GuardedPages(std::size_t count, std::size_t stack_bytes, std::string_view guard)
    : guard_{guard == "mprotect"  ? Guard::mprotect
             : guard == "madvise" ? Guard::madvise
                                  : Guard::none},
      page_bytes_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
      stride_{stack_bytes + (guard_ == Guard::none ? 0 : page_bytes_)},
      bytes_{count * stride_} {
  void* const mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) fail("mmap");
  mapping_ = static_cast<std::byte*>(mapping);
  if (madvise(mapping, bytes_, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) {  // EINVAL: built without
    const int error = errno;
    munmap(mapping, bytes_);
    throw std::system_error{error, std::system_category(), "madvise"};
  }
}

GuardedPages::~GuardedPages() {
  munmap(mapping_, bytes_);
}

std::error_code GuardedPages::make(std::size_t stacks) noexcept {
  for (const std::size_t end = made_ + stacks; made_ != end; ++made_) {
    std::byte* const stack = mapping_ + made_ * stride_;
    if (guard_ == Guard::mprotect && mprotect(stack, page_bytes_, PROT_NONE) != 0) {
      return last_error();
    }
    if (guard_ == Guard::madvise && madvise(stack, page_bytes_, advice_guard_install) != 0) {
      return last_error();
    }
    *static_cast<volatile std::byte*>(stack + stride_ - 1) = std::byte{1};
  }
  return {};
}

std::vector<Subject> page_subjects() {
  return {{"stacks", "floor-page", &run}};
}

}  // namespace harness::floors
