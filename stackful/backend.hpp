// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackful/event.hpp"
#include "stackful/high_water.hpp"
#include "stackful/io.hpp"
#include "stackful/join_handle.hpp"
#include "stackful/options.hpp"
#include "stackful/overflow.hpp"
#include "stackful/runtime.hpp"
#include "stackful/sleep.hpp"

namespace stackful {

/// The front door of the room: fibers, each on a private stack, one switch away from each other.
struct Backend {
  using Runtime = stackful::Runtime;
  using Options = stackful::Options;
  using Event = stackful::Event;
  using Stream = stackful::Stream;
  using Listener = stackful::Listener;

  static constexpr io::Mode mode = io::Mode::nonblocking;

  static void sleep_until(io::TimePoint deadline) { stackful::sleep_until(deadline); }
  static void yield() { Scheduler::current()->yield(); }
};

}  // namespace stackful
