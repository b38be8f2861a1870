// SPDX-License-Identifier: BSL-1.0
#include "harness/allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "io/thread_tally.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define YARDSTACK_OWN_OPERATORS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define YARDSTACK_OWN_OPERATORS 0
#endif
#endif
#ifndef YARDSTACK_OWN_OPERATORS
#define YARDSTACK_OWN_OPERATORS 1
#endif

namespace harness {

#if YARDSTACK_OWN_OPERATORS

namespace {

// Operators have no object to keep their state in.
enum Kind : std::size_t { calls, asked_bytes, kinds };
constinit io::ThreadTally<kinds> tally;
thread_local constinit io::ThreadTally<kinds>::Share mine;

void count(std::size_t bytes) noexcept {
  tally.add(mine, {1, bytes});
}

void* allocate(std::size_t bytes) noexcept {
  count(bytes);
  return std::malloc(bytes != 0 ? bytes : 1);
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  count(bytes);
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (bytes + step - 1) / step * step);
}

template <class... Alignment>
void* allocate_or_throw(std::size_t bytes, Alignment... alignment) {
  for (;;) {
    if (void* memory = allocate(bytes, alignment...)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc{};
    handler();
  }
}

}  // namespace

std::optional<std::uint64_t> allocations() noexcept {
  return tally.sum()[calls];
}

std::optional<std::uint64_t> allocated_bytes() noexcept {
  return tally.sum()[asked_bytes];
}

#else

std::optional<std::uint64_t> allocations() noexcept {
  return std::nullopt;
}

std::optional<std::uint64_t> allocated_bytes() noexcept {
  return std::nullopt;
}

#endif

}  // namespace harness

#if YARDSTACK_OWN_OPERATORS

void* operator new(std::size_t bytes) {
  return harness::allocate_or_throw(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return harness::allocate_or_throw(bytes, alignment);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return harness::allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return harness::allocate(bytes, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#endif
