// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace io {

/// Someone to tell when something happens. Intrusive: lives in whoever waits, never allocates.
/// `notify` only makes its owner runnable; it never runs the owner's code, so the reactor can call
/// it in the middle of a batch of events. Called on the reactor's thread.
struct Waiter {
  void (*notify)(Waiter&) noexcept = nullptr;
};

}  // namespace io
