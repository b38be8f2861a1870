// SPDX-License-Identifier: BSL-1.0
#include "stackless/sleep.hpp"

#include "stackless/executor.hpp"
#include "stackless/fault.hpp"

namespace stackless {

Sleep::~Sleep() {
  if (armed()) Executor::current().reactor().timers().cancel(*this);
}

Poll<void> Sleep::poll(Context& context) {
  if (notify == nullptr) polled_after_completion();
  if (waker_ && !armed()) {
    waker_.reset();
    notify = nullptr;
    return ready;
  }
  if (!armed()) {
    context.stay_on_this_thread();
    Executor::current().reactor().timers().insert(*this, deadline);
  }
  waker_.clone_from(context.waker());
  return pending;
}

void Sleep::fire(io::Waiter& waiter) noexcept {
  static_cast<Sleep&>(static_cast<io::Timer&>(waiter)).waker_.wake_by_ref();
}

Poll<void> Yield::poll(Context& context) {
  switch (step_) {
    case Step::fresh:
      step_ = Step::yielded;
      context.waker().wake_by_ref();
      return pending;
    case Step::yielded:
      step_ = Step::done;
      return ready;
    case Step::done:
      break;
  }
  polled_after_completion();
}

}  // namespace stackless
