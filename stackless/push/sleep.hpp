// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"
#include "stackless/push/cancellation.hpp"
#include "stackless/push/promise.hpp"

namespace stackless::push {

/// A promise of a moment; the timer is armed already. On the current loop.
[[nodiscard]] Promise<> sleep_until(io::TimePoint deadline, CancellationToken token = {});

/// A promise that continues after whatever is queued now.
[[nodiscard]] Promise<> yield();

}  // namespace stackless::push
