// SPDX-License-Identifier: BSL-1.0
#include "stackless/push/sleep.hpp"

#include <utility>

#include "io/timing_wheel.hpp"
#include "stackless/push/pending.hpp"

namespace stackless::push {
namespace {

class Sleep final : public Pending<void>, public io::Timer {
 public:
  Sleep(Loop& on, CancellationToken token) : Pending{on, std::move(token)} { notify = &fire; }

  void start(io::TimePoint until) noexcept {
    if (begin()) loop().reactor().timers().insert(*this, until);
  }

 private:
  static void fire(io::Waiter& waiter) noexcept {
    static_cast<Sleep&>(static_cast<io::Timer&>(waiter)).finish(Outcome<void>{Unit{}});
  }
  void disarm() noexcept override { loop().reactor().timers().cancel(*this); }
};

}  // namespace

Promise<> sleep_until(io::TimePoint deadline, CancellationToken token) {
  Ref<Sleep> sleep{new Sleep{Loop::current(), std::move(token)}};
  sleep->start(deadline);
  return Promise<>{std::move(sleep)};
}

Promise<> yield() {
  return Promise<>{Unit{}};
}

}  // namespace stackless::push
