// SPDX-License-Identifier: BSL-1.0
#include "stackless/push/event.hpp"

#include <utility>

#include "stackless/push/pending.hpp"

namespace stackless::push {

class Event::Wait final : public Pending<void> {
 public:
  Wait(Event& event, CancellationToken token)
      : Pending{*event.loop_, std::move(token)}, event_{&event} {}

  void start() noexcept {
    if (begin()) event_->waiting_ = this;
  }
  void complete() noexcept { finish(Outcome<void>{Unit{}}); }

 private:
  void disarm() noexcept override { event_->waiting_ = nullptr; }

  Event* event_;
};

Event::~Event() {
  if (waiting_ != nullptr) waiting_->cancel();
}

void Event::set() noexcept {
  if (waiting_ != nullptr) return std::exchange(waiting_, nullptr)->complete();
  set_ = true;
}

Promise<> Event::wait(CancellationToken token) {
  if (set_) {
    set_ = false;
    return Promise<>{Unit{}};
  }
  Ref<Wait> wait{new Wait{*this, std::move(token)}};
  wait->start();
  return Promise<>{std::move(wait)};
}

}  // namespace stackless::push
