// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/blocking_pool.hpp"
#include "stackless/combinators.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/fixed_executor.hpp"
#include "stackless/io.hpp"
#include "stackless/runtime.hpp"
#include "stackless/sleep.hpp"

namespace stackless {

/// The front door of the room: a task is a state machine that one of its workers polls.
struct Backend {
  using Runtime = stackless::Runtime;
  using Options = stackless::Options;
  using Event = stackless::Event;
  using Stream = stackless::Stream;
  using Listener = stackless::Listener;

  static constexpr io::Mode mode = io::Mode::nonblocking;

  [[nodiscard]] static Sleep sleep_until(io::TimePoint deadline) noexcept {
    return stackless::sleep_until(deadline);
  }
  [[nodiscard]] static Yield yield() noexcept { return stackless::yield(); }
};

}  // namespace stackless
