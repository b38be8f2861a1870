// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "io/clock.hpp"
#include "io/timing_wheel.hpp"
#include "stackless/future.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// A future of a moment. The place in the timing wheel is inside: sleeping allocates nothing, and
/// dropping it takes it off the wheel. Polled and dropped on its executor's thread.
class Sleep : io::Timer {
 public:
  using Output = void;

  explicit Sleep(io::TimePoint until) noexcept : io::Timer{{&Sleep::fire}, {}, until} {}
  ~Sleep();
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  Poll<void> poll(Context& context);

 private:
  static void fire(io::Waiter& waiter) noexcept;

  // Empty before the first poll. Kept while the timer fires: armed no more and a waker left = over.
  Waker waker_;
};
static_assert(Future<Sleep>);
static_assert(sizeof(Sleep) <= 40, "a sleeping task pays for this");

[[nodiscard]] inline Sleep sleep_until(io::TimePoint deadline) noexcept {
  return Sleep{deadline};
}

/// Lets every other task that is scheduled go first: pending once, and woken at once.
class Yield {
 public:
  using Output = void;

  Yield() = default;
  Yield(const Yield&) = delete;
  Yield& operator=(const Yield&) = delete;

  Poll<void> poll(Context& context);

 private:
  enum class Step : unsigned char { fresh, yielded, done };
  Step step_ = Step::fresh;
};
static_assert(Future<Yield>);

[[nodiscard]] inline Yield yield() noexcept {
  return Yield{};
}

}  // namespace stackless
