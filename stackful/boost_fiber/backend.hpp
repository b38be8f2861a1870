// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackful/boost_fiber/event.hpp"
#include "stackful/boost_fiber/io.hpp"
#include "stackful/boost_fiber/scheduler.hpp"
#include "stackful/boost_fiber/sleep.hpp"
#include "stackful/options.hpp"

namespace stackful::boost_fiber {

/// The front door of the room, with Boost.Fiber behind it: fibers on private stacks.
struct Backend {
  using Runtime = boost_fiber::Scheduler;
  using Options = stackful::Options;
  using Event = boost_fiber::Event;
  using Stream = boost_fiber::Stream;
  using Listener = boost_fiber::Listener;

  static constexpr io::Mode mode = io::Mode::nonblocking;

  static void sleep_until(io::TimePoint deadline) noexcept { boost_fiber::sleep_until(deadline); }
  static void yield() noexcept { boost_fiber::yield(); }
};

}  // namespace stackful::boost_fiber
