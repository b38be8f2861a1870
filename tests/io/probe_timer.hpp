// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

#include "io/timing_wheel.hpp"

/// A timer that calls any function when it is notified.
struct ProbeTimer : io::Timer {
  explicit ProbeTimer(std::function<void(ProbeTimer&)> when_fired) : fired{std::move(when_fired)} {
    notify = [](io::Waiter& waiter) noexcept {
      auto& probe = static_cast<ProbeTimer&>(waiter);
      probe.fired(probe);
    };
  }
  std::function<void(ProbeTimer&)> fired;
};
