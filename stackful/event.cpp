// SPDX-License-Identifier: BSL-1.0
#include "stackful/event.hpp"

#include <utility>

namespace stackful {

/// Travels to the event's home and, once the event is set, back to the fiber that waits for it.
struct Event::Request : Message {
  Request(Event& awaited, Fiber& waiter) noexcept : event{awaited}, fiber{waiter} {
    deliver = [](Message& message) noexcept {
      auto& self = static_cast<Request&>(message);
      self.event.request_ = &self;
      if (self.event.set_) self.event.grant();
    };
  }

  void send_back() noexcept {
    deliver = [](Message& message) noexcept {
      auto& self = static_cast<Request&>(message);
      self.granted = true;
      self.fiber.scheduler().unpark(self.fiber);
    };
    fiber.scheduler().post(*this);
  }

  Event& event;
  Fiber& fiber;
  bool granted = false;
};

/// Follows a request home and back. Messages keep their order, so when it is back, the request is
/// either forgotten at home or has come back before.
struct Event::Withdrawal : Message {
  explicit Withdrawal(Request& forgotten) noexcept : request{forgotten} {
    deliver = [](Message& message) noexcept {
      auto& self = static_cast<Withdrawal&>(message);
      Event& event = self.request.event;
      if (event.request_ == &self.request) event.request_ = nullptr;
      self.send_back();
    };
  }

  void send_back() noexcept {
    deliver = [](Message& message) noexcept {
      auto& self = static_cast<Withdrawal&>(message);
      self.is_back = true;
      self.request.fiber.scheduler().unpark(self.request.fiber);
    };
    request.fiber.scheduler().post(*this);
  }

  Request& request;
  bool is_back = false;
};

Event::Event(Scheduler& home) noexcept : home_{home} {
  home.bind_running();
  deliver = [](Message& message) noexcept {
    auto& self = static_cast<Event&>(message);
    self.set_here(self.home_);
  };
}

Event::~Event() {
  if (posted.load(std::memory_order_relaxed)) home_.deliver_posted();
}

void Event::grant() noexcept {
  set_ = false;
  std::exchange(request_, nullptr)->send_back();
}

void Event::wait_again(Scheduler& here) {
  while (!set_) wait_once(here);
}

void Event::wait_elsewhere() {
  Scheduler& here = *Scheduler::current();
  Request request{*this, here.running()};
  home_.post(request);
  try {
    while (!request.granted) here.park();
  } catch (const Cancelled&) {
    Withdrawal withdrawal{request};
    home_.post(withdrawal);
    while (!withdrawal.is_back) here.park_shielded();
    if (request.granted) set();  // the set is for the next to wait
    throw;
  }
}

}  // namespace stackful
