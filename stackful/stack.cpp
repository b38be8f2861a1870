// SPDX-License-Identifier: BSL-1.0
#include "stackful/stack.hpp"

#include <cerrno>
#include <functional>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "stackful/high_water.hpp"

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
      recycling_{options.recycling},
      painted_{options.painted},
      slot_bytes_{stack_bytes_ + (guard_ == Guard::none ? 0 : page_bytes_) +
                  (colouring_ ? round_up(colours * cache_line, page_bytes_) : 0)} {
  if (options.stack_bytes == 0) throw std::system_error{StackError::stack_too_small};
  if (guard_ == Guard::madvise && !lightweight_guards_work()) {
    throw std::system_error{StackError::no_lightweight_guards};
  }
}

StackPool::~StackPool() {
  for (std::size_t i = 0; i != slabs_.size(); ++i) munmap(slabs_[i], slot_bytes_ * stacks_a_slab);
}

Stack StackPool::take(std::error_code& error) {
  error.clear();
  if (idle_ == nullptr && returned_.load(std::memory_order_relaxed) != nullptr) {
    idle_ = returned_.exchange(nullptr, std::memory_order_acquire);
  }
  if (Idle* idle = idle_) {
    idle_ = idle->next;
    return {reinterpret_cast<std::byte*>(idle + 1), idle->lowest};
  }
  const std::size_t made = created();
  if (made == slabs_.size() * stacks_a_slab && (error = map_slab())) return {};
  const Stack stack = nth(made);
  if (guard_ != Guard::none) {
    error = install(guard_, stack.lowest - page_bytes_, page_bytes_, budget_);
    if (error) return {};
  }
  created_.store(made + 1, std::memory_order_release);
  registered_.add(stack.lowest, stack.top);
  if (painted_) paint(stack);
  return stack;
}

StackPool::Idle* StackPool::to_idle(const Stack& stack) const noexcept {
  if (recycling_ == Recycling::trim) trim(stack);
  return ::new (stack.top - sizeof(Idle)) Idle{nullptr, stack.lowest};
}

void StackPool::give_back(Stack stack) noexcept {
  Idle* const idle = to_idle(stack);
  idle->next = std::exchange(idle_, idle);
}

// The owner takes all or nothing, so nobody ever compares with a stack that came back.
void StackPool::give_back_from_elsewhere(Stack stack) noexcept {
  Idle* const idle = to_idle(stack);
  idle->next = returned_.load(std::memory_order_relaxed);
  while (!returned_.compare_exchange_weak(idle->next, idle, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

std::size_t StackPool::lent() const noexcept {
  std::size_t back = 0;
  for (const Idle* idle : {std::as_const(idle_), returned_.load(std::memory_order_acquire)}) {
    for (; idle != nullptr; idle = idle->next) ++back;
  }
  return created() - back;
}

// Failing would mean that the pages are not ours, and costs memory, not correctness. The guard
// stays.
void StackPool::trim(const Stack& stack) const noexcept {
  const std::size_t below_top_page = (stack.bytes() - 1) / page_bytes_ * page_bytes_;
  if (below_top_page != 0) madvise(stack.lowest, below_top_page, MADV_DONTNEED);
}

Stack StackPool::find(const void* address) const noexcept {
  const auto* const byte = static_cast<const std::byte*>(address);
  for (std::size_t slab = 0; slab != slabs_.size(); ++slab) {
    const std::byte* const begin = slabs_[slab];
    const std::less<> before;
    if (before(byte, begin) || !before(byte, begin + slot_bytes_ * stacks_a_slab)) continue;
    const auto slot = static_cast<std::size_t>(byte - begin) / slot_bytes_;
    const std::size_t index = slab * stacks_a_slab + slot;
    return index < created() ? nth(index) : Stack{};
  }
  return {};
}

Stack StackPool::nth(std::size_t index) const noexcept {
  std::byte* const slot = slabs_[index / stacks_a_slab] + index % stacks_a_slab * slot_bytes_;
  const std::size_t colour = colouring_ ? index % colours * cache_line : 0;
  return {slot + slot_bytes_ - colour, slot + (guard_ == Guard::none ? 0 : page_bytes_)};
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
  slabs_.push_back(static_cast<std::byte*>(slab));
  return {};
}

}  // namespace stackful
