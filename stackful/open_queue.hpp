// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "stackful/fiber.hpp"

namespace stackful {

/// Runnable fibers that any worker may take, the oldest first. Any thread. Only for
/// Options::stealing: a worker's other queue is its own and knows no lock.
class OpenQueue {
 public:
  /// Only a hint to who does not hold the fibers back itself.
  [[nodiscard]] bool empty() const noexcept { return size_.load(std::memory_order_seq_cst) == 0; }
  void push(Fiber& fiber) noexcept;
  /// nullptr when empty.
  Fiber* pop() noexcept;

 private:
  std::mutex mutex_;
  RunQueue fibers_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace stackful
