// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/push/event.hpp"
#include "stackless/push/io.hpp"
#include "stackless/push/loop.hpp"
#include "stackless/push/sleep.hpp"

namespace stackless::push {

/// The front door of the push model: a task is a chain of continuations.
struct Backend {
  using Runtime = push::Loop;
  using Options = push::Options;
  using Event = push::Event;
  using Stream = push::Stream;
  using Listener = push::Listener;

  static constexpr io::Mode mode = io::Mode::nonblocking;

  [[nodiscard]] static Promise<> sleep_until(io::TimePoint deadline) {
    return push::sleep_until(deadline);
  }
  [[nodiscard]] static Promise<> yield() { return push::yield(); }
};

}  // namespace stackless::push
