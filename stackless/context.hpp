// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/waker.hpp"

namespace stackless {

/// What a poll is told: whom to wake. Lives as long as the poll, so a future that is not done
/// clones the waker. Freestanding.
class Context {
 public:
  explicit Context(const Waker& waker) noexcept : waker_{&waker} {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Waker& waker() const noexcept { return *waker_; }

 private:
  const Waker* waker_;
};

}  // namespace stackless
