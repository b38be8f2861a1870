// SPDX-License-Identifier: BSL-1.0
#include "harness/allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>

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

struct Counter;

// Operators have no object to keep their state in.
constinit std::mutex registering;
constinit Counter* living = nullptr;
constinit std::uint64_t of_ended_threads = 0;

/// One thread's count: written by it alone, so that counting costs a load and a store.
struct Counter {
  Counter() noexcept {
    const std::lock_guard lock{registering};
    next = living;
    if (next != nullptr) next->previous = this;
    living = this;
  }
  ~Counter() {
    const std::lock_guard lock{registering};
    of_ended_threads += made.load(std::memory_order_relaxed);
    (previous != nullptr ? previous->next : living) = next;
    if (next != nullptr) next->previous = previous;
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  std::atomic<std::uint64_t> made{0};
  Counter* previous = nullptr;
  Counter* next = nullptr;
};

void count_one() noexcept {
  thread_local Counter counter;
  counter.made.store(counter.made.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void* allocate(std::size_t bytes) noexcept {
  count_one();
  return std::malloc(bytes != 0 ? bytes : 1);
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  count_one();
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
  const std::lock_guard lock{registering};
  std::uint64_t sum = of_ended_threads;
  for (const Counter* counter = living; counter != nullptr; counter = counter->next) {
    sum += counter->made.load(std::memory_order_relaxed);
  }
  return sum;
}

#else

std::optional<std::uint64_t> allocations() noexcept {
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
