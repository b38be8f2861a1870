// SPDX-License-Identifier: BSL-1.0
#include "stackless/event.hpp"

namespace stackless {

// An event is posted, never woken: nobody makes a waker of it.
constinit const PostedOperations Event::table{{}, &Event::deliver};

Event::Event(Executor& executor) noexcept : Posted{table}, executor_{&executor} {}

Event::~Event() {
  while (posted_.load(std::memory_order_acquire)) executor_->deliver_posts();
}

void Event::set_from_elsewhere() noexcept {
  if (!posted_.exchange(true, std::memory_order_acq_rel)) executor_->post(*this);
}

/// An exchange, so that what any setter wrote before is visible to the waiter.
void Event::deliver(Posted& posted) noexcept {
  Event& event = static_cast<Event&>(posted);
  event.posted_.exchange(false, std::memory_order_acq_rel);
  event.set_here();
}

}  // namespace stackless
