// SPDX-License-Identifier: BSL-1.0
#include "stackful/event.hpp"

namespace stackful {

Event::Event(Scheduler& scheduler) noexcept : scheduler_{scheduler} {
  deliver = [](Message& message) noexcept {
    static_cast<Event&>(message).set_here();
  };
}

Event::~Event() {
  if (posted.load(std::memory_order_relaxed)) scheduler_.deliver_posted();
}

}  // namespace stackful
