// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stackless {

/// A worker's queue: it pushes at the tail and pops at the head, others steal half from the head.
/// So tasks run in the order of waking, here and wherever they are taken to. Bounded; after the run
/// queues of the Go scheduler.
template <class T>
class RunRing {
 public:
  static constexpr std::uint32_t capacity = 256;

  /// Owner only. False: full.
  [[nodiscard]] bool push(T& item) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) >= capacity) return false;
    at(tail).store(&item, std::memory_order_relaxed);
    // In one order with the look at the idle workers that follows.
    tail_.store(tail + 1, std::memory_order_seq_cst);
    return true;
  }
  /// Owner only. nullptr: empty.
  [[nodiscard]] T* pop() noexcept {
    std::uint32_t head = head_.load(std::memory_order_acquire);
    while (head != tail_.load(std::memory_order_relaxed)) {
      T* const item = at(head).load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, head + 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return item;
      }
    }
    return nullptr;
  }
  /// The owner of `to`: moves half of this ring there, or what fits, and returns one more to run at
  /// once. nullptr: there was nothing, or somebody else was faster.
  [[nodiscard]] T* steal(RunRing& to) noexcept {
    std::uint32_t head = head_.load(std::memory_order_acquire);
    const std::uint32_t there = tail_.load(std::memory_order_acquire) - head;
    const std::uint32_t half = there - there / 2;
    if (half == 0 || half > capacity) return nullptr;  // more: head is an old one
    const std::uint32_t to_tail = to.tail_.load(std::memory_order_relaxed);
    const std::uint32_t room = capacity - (to_tail - to.head_.load(std::memory_order_acquire));
    const std::uint32_t taken = std::min(half, room + 1);
    T* const first = at(head).load(std::memory_order_relaxed);
    for (std::uint32_t i = 1; i != taken; ++i) {
      to.at(to_tail + i - 1)
          .store(at(head + i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    // They are ours only now; whoever overwrote one meanwhile has moved the head before.
    if (!head_.compare_exchange_strong(head, head + taken, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return nullptr;
    }
    to.tail_.store(to_tail + taken - 1, std::memory_order_seq_cst);
    return first;
  }
  /// Any thread; a glance.
  [[nodiscard]] bool empty() const noexcept {
    return head_.load(std::memory_order_seq_cst) == tail_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<T*>& at(std::uint32_t position) noexcept { return ring_[position % capacity]; }

  alignas(64) std::atomic<std::uint32_t> head_{0};
  alignas(64) std::atomic<std::uint32_t> tail_{0};
  std::array<std::atomic<T*>, capacity> ring_{};
};

}  // namespace stackless
