// SPDX-License-Identifier: BSL-1.0
#include "stackful/inbox.hpp"

#include <utility>

namespace stackful {

bool Inbox::post(Message& message) noexcept {
  if (message.posted.exchange(true, std::memory_order_acq_rel)) return false;
  Message* newest = newest_.load(std::memory_order_relaxed);
  do {
    message.next = newest;
  } while (!newest_.compare_exchange_weak(newest, &message, std::memory_order_release,
                                          std::memory_order_relaxed));
  // The message may be gone by now; `newest` is only compared.
  return newest == nullptr;
}

void Inbox::deliver() noexcept {
  if (empty()) return;
  Message* newest = newest_.exchange(nullptr, std::memory_order_acquire);
  Message* oldest = nullptr;
  while (newest != nullptr) {
    Message* const message = newest;
    newest = message->next;
    message->next = std::exchange(oldest, message);
  }
  while (oldest != nullptr) {
    Message& message = *std::exchange(oldest, oldest->next);
    message.posted.exchange(false, std::memory_order_acq_rel);
    message.deliver(message);
  }
}

}  // namespace stackful
