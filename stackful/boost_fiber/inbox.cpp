// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/inbox.hpp"

#include <utility>

#include "io/reactor.hpp"
#include "stackful/boost_fiber/event.hpp"

namespace stackful::boost_fiber {

void Inbox::post(Event& event) noexcept {
  const std::lock_guard guard{lock_};
  if (event.posted_.load(std::memory_order_relaxed)) return;
  event.posted_.store(true, std::memory_order_relaxed);
  *end_ = &event;
  end_ = &event.next_posted_;
  filled_.store(true, std::memory_order_release);
  reactor_.wake();
}

void Inbox::deliver() noexcept {
  if (!filled_.load(std::memory_order_acquire)) return;
  const std::lock_guard guard{lock_};
  filled_.store(false, std::memory_order_relaxed);
  end_ = &first_;
  while (Event* const event = first_) {
    first_ = std::exchange(event->next_posted_, nullptr);
    event->posted_.store(false, std::memory_order_relaxed);
    event->set_here();
  }
}

void Inbox::forget(Event& event) noexcept {
  const std::lock_guard guard{lock_};
  Event** link = &first_;
  while (*link != nullptr && *link != &event) link = &(*link)->next_posted_;
  if (*link == nullptr) return;
  *link = event.next_posted_;
  if (end_ == &event.next_posted_) end_ = link;
}

}  // namespace stackful::boost_fiber
