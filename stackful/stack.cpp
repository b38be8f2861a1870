// SPDX-License-Identifier: BSL-1.0
#include "stackful/stack.hpp"

#include <cerrno>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace stackful {
namespace {

constexpr std::size_t stacks_a_slab = 256;
constexpr std::size_t cache_line = 64;
/// Half a page of different starts: enough to use the sets evenly, and a parked task's own bytes
/// still fit into the other half, so it costs one resident page.
constexpr std::size_t colours = 32;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

struct StackPool::Idle {
  Idle* next;
  std::byte* lowest;
};

StackPool::StackPool(const Options& options)
    : page_bytes_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
      stack_bytes_{round_up(options.stack_bytes, page_bytes_)},
      guard_{options.guard},
      colouring_{options.colouring},
      slot_bytes_{stack_bytes_ + (guard_ == Guard::none ? 0 : page_bytes_) +
                  (colouring_ ? round_up(colours * cache_line, page_bytes_) : 0)} {
  if (options.stack_bytes == 0) throw std::system_error{StackError::stack_too_small};
  if (guard_ == Guard::madvise && !lightweight_guards_work()) {
    throw std::system_error{StackError::no_lightweight_guards};
  }
}

StackPool::~StackPool() {
  for (std::byte* slab : slabs_) munmap(slab, slot_bytes_ * stacks_a_slab);
}

Stack StackPool::take(std::error_code& error) {
  error.clear();
  if (Idle* idle = idle_) {
    idle_ = idle->next;
    return {reinterpret_cast<std::byte*>(idle + 1), idle->lowest};
  }
  if (fresh_ == slab_end_ && (error = map_slab())) return {};
  if ((error = install(guard_, fresh_, page_bytes_, budget_))) return {};

  std::byte* const slot = fresh_;
  const std::size_t offset = colour_offset();
  fresh_ += slot_bytes_;
  ++created_;
  return {slot + slot_bytes_ - offset, slot + (guard_ == Guard::none ? 0 : page_bytes_)};
}

void StackPool::give_back(Stack stack) noexcept {
  idle_ = ::new (stack.top - sizeof(Idle)) Idle{idle_, stack.lowest};
}

std::size_t StackPool::colour_offset() const noexcept {
  return colouring_ ? created_ % colours * cache_line : 0;
}

std::error_code StackPool::map_slab() {
  const std::size_t bytes = slot_bytes_ * stacks_a_slab;
  void* slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) return {errno, std::system_category()};
  if (madvise(slab, bytes, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) {  // EINVAL: built without
    const std::error_code error{errno, std::system_category()};
    munmap(slab, bytes);
    return error;
  }
  fresh_ = static_cast<std::byte*>(slab);
  slab_end_ = fresh_ + bytes;
  slabs_.push_back(fresh_);
  return {};
}

}  // namespace stackful
