// SPDX-License-Identifier: BSL-1.0
#include "stackful/open_queue.hpp"

namespace stackful {

void OpenQueue::push(Fiber& fiber) noexcept {
  const std::lock_guard locked{mutex_};
  fibers_.push(fiber);
  size_.fetch_add(1, std::memory_order_seq_cst);
}

Fiber* OpenQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard locked{mutex_};
  Fiber* const fiber = fibers_.pop();
  if (fiber != nullptr) size_.fetch_sub(1, std::memory_order_seq_cst);
  return fiber;
}

}  // namespace stackful
