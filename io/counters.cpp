// SPDX-License-Identifier: BSL-1.0
#include "io/counters.hpp"

#include <atomic>
#include <mutex>

namespace io {
namespace {

using Tally = std::array<std::atomic<std::uint64_t>, system_call_kinds>;

/// One thread's own tally. Trivially destroyed, so that it outlasts every destructor of its thread.
struct Block {
  enum class Stage : std::uint8_t { unknown, listed, retired };

  Tally made{};
  Block* next = nullptr;
  Block* previous = nullptr;
  Stage stage = Stage::unknown;
};

// Constant-initialised and trivially destroyed: usable before main, and after it.
constinit std::mutex live_mutex;  // guards the list, and the move of a block's tally to `shared`
constinit Block* live = nullptr;
constinit Tally shared{};  // threads that have ended, and signal handlers

thread_local constinit Block block;

void retire() noexcept {
  const std::lock_guard lock{live_mutex};
  for (std::size_t kind = 0; kind != system_call_kinds; ++kind) {
    shared[kind].fetch_add(block.made[kind].load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
  }
  if (block.next != nullptr) block.next->previous = block.previous;
  (block.previous != nullptr ? block.previous->next : live) = block.next;
  block.stage = Block::Stage::retired;
}

struct Retirement {
  Retirement() noexcept {
    const std::lock_guard lock{live_mutex};
    block.next = live;
    if (live != nullptr) live->previous = &block;
    live = &block;
    block.stage = Block::Stage::listed;
  }
  ~Retirement() { retire(); }
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;
};

void list_this_thread() noexcept {
  thread_local const Retirement at_thread_exit;
}

}  // namespace

SystemCalls operator-(const SystemCalls& later, const SystemCalls& earlier) {
  SystemCalls difference;
  for (std::size_t kind = 0; kind != system_call_kinds; ++kind) {
    difference.made[kind] = later.made[kind] - earlier.made[kind];
  }
  return difference;
}

void count(SystemCall kind) noexcept {
  if (block.stage != Block::Stage::listed) [[unlikely]] {
    if (block.stage == Block::Stage::retired) return count_shared(kind);
    list_this_thread();
  }
  auto& made = block.made[static_cast<std::size_t>(kind)];
  made.store(made.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void count_shared(SystemCall kind) noexcept {
  shared[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
}

SystemCalls system_calls() {
  const std::lock_guard lock{live_mutex};
  SystemCalls sum;
  for (std::size_t kind = 0; kind != system_call_kinds; ++kind) {
    sum.made[kind] = shared[kind].load(std::memory_order_relaxed);
    for (const Block* each = live; each != nullptr; each = each->next) {
      sum.made[kind] += each->made[kind].load(std::memory_order_relaxed);
    }
  }
  return sum;
}

}  // namespace io
