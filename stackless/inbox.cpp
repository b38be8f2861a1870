// SPDX-License-Identifier: BSL-1.0
#include "stackless/inbox.hpp"

namespace stackless {
namespace {

/// Lies at the bottom of an inbox whose owner waits. Only its address means something.
constinit const PostedOperations no_operations{};
constinit Posted parked_owner{no_operations};

}  // namespace

bool Inbox::post(Posted& posted) noexcept {
  Posted* head = head_.load(std::memory_order_relaxed);
  do {
    posted.next_posted = head;
  } while (!head_.compare_exchange_weak(head, &posted, std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
  return head == &parked_owner;
}

bool Inbox::park() noexcept {
  Posted* empty = nullptr;
  return head_.compare_exchange_strong(empty, &parked_owner, std::memory_order_acq_rel,
                                       std::memory_order_relaxed);
}

void Inbox::deliver_all() noexcept {
  Posted* newest_first = head_.exchange(nullptr, std::memory_order_acq_rel);
  Posted* oldest_first = nullptr;
  while (newest_first != nullptr && newest_first != &parked_owner) {
    Posted* const next = newest_first->next_posted;
    newest_first->next_posted = oldest_first;
    oldest_first = newest_first;
    newest_first = next;
  }
  while (oldest_first != nullptr) {
    Posted* const next = oldest_first->next_posted;  // once delivered, it may be posted again
    oldest_first->deliver();
    oldest_first = next;
  }
}

}  // namespace stackless
