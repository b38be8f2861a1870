// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include "stackless/poll_fn.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless::test {

/// Polled `polls` times in all, woken by itself in between.
inline auto repeat(int polls, Trace& trace, std::string name) {
  return poll_fn([=, &trace](Context& context) mutable -> Poll<> {
    trace.push_back(name);
    if (--polls == 0) return ready;
    context.waker().wake_by_ref();
    return pending;
  });
}

/// Pending for ever; leaves its waker behind.
inline auto wait_for_ever(Waker& waker, Trace& trace, std::string name) {
  return poll_fn([=, &waker, &trace](Context& context) -> Poll<> {
    trace.push_back(name);
    waker.clone_from(context.waker());
    return pending;
  });
}

/// Done at its second poll; leaves its waker behind.
inline auto wait_once(Waker& waker, Trace& trace, std::string name) {
  return poll_fn([=, &waker, &trace, first = true](Context& context) mutable -> Poll<> {
    trace.push_back(name);
    if (!std::exchange(first, false)) return ready;
    waker.clone_from(context.waker());
    return pending;
  });
}

inline auto do_once(auto what) {
  return poll_fn([what](Context&) -> Poll<> {
    what();
    return ready;
  });
}

}  // namespace stackless::test
