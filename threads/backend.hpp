// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "threads/event.hpp"
#include "threads/io.hpp"
#include "threads/scheduler.hpp"
#include "threads/sleep.hpp"

namespace threads {

/// The front door of the room: one OS thread per task, waiting in the kernel.
struct Backend {
  using Runtime = threads::Scheduler;
  using Options = threads::Options;
  using Event = threads::Event;
  using Stream = threads::Stream;
  using Listener = threads::Listener;

  static constexpr io::Mode mode = io::Mode::blocking;

  static void sleep_until(io::TimePoint deadline) noexcept { threads::sleep_until(deadline); }
  static void yield() noexcept { threads::yield(); }
};

}  // namespace threads
