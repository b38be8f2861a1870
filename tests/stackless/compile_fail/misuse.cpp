// SPDX-License-Identifier: BSL-1.0
// Misuses that the types refuse, one at a time: compiled with its MISUSE defined, each must fail
// with the diagnostic that CMakeLists.txt names; with none defined, all of this compiles.
#include <array>
#include <cstddef>
#include <utility>

#include "stackless/backend.hpp"
#include "stackless/channel.hpp"
#include "stackless/combinators.hpp"
#include "stackless/fixed_executor.hpp"

namespace stackless {

Async<int> answer() {
  co_return 42;
}

void proper_use(Executor& executor, Context& context, Waker& waker) {
  Sleep sleep = sleep_until(io::never);
  static_cast<void>(sleep.poll(context));
  static_cast<void>(executor.spawn([] { return answer(); }));
  const Waker cloned = waker.clone();
  FixedExecutor<1, 64> fixed;
  static_cast<void>(fixed.spawn([] { return yield(); }));
  auto joined = join([] { return yield(); }, [] { return answer(); });
  static_cast<void>(joined.poll(context));
}

Async<int> proper_await() {
  co_return co_await answer();
}

#if defined(MOVE_A_FUTURE)
void misuse(Context& context) {
  Sleep polled = sleep_until(io::never);
  static_cast<void>(polled.poll(context));
  Sleep moved = std::move(polled);
}
#elif defined(MOVE_A_COROUTINE)
void misuse() {
  Async<int> coroutine = answer();
  Async<int> moved = std::move(coroutine);
}
#elif defined(MOVE_A_COMPOSITE)
void misuse() {
  auto joined = join([] { return yield(); }, [] { return answer(); });
  auto moved = std::move(joined);
}
#elif defined(SPAWN_A_FUTURE_INSTEAD_OF_ITS_FACTORY)
void misuse(Executor& executor) {
  static_cast<void>(executor.spawn(sleep_until(io::never)));
}
#elif defined(SPAWN_WHAT_CAN_MOVE)
struct Movable {
  using Output = void;
  static Poll<> poll(Context&) { return ready; }
};
void misuse(Executor& executor) {
  static_cast<void>(executor.spawn([] { return Movable{}; }));
}
#elif defined(SPAWN_WHAT_CAN_BE_ASSIGNED)
struct Assignable {
  using Output = void;
  Assignable() = default;
  Assignable(const Assignable&) = delete;
  Assignable& operator=(const Assignable&) = default;
  static Poll<> poll(Context&) { return ready; }
};
void misuse(Executor& executor) {
  static_cast<void>(executor.spawn([] { return Assignable{}; }));
}
#elif defined(AWAIT_WHAT_IS_NO_FUTURE)
Async<int> misuse() {
  co_return co_await 42;
}
#elif defined(COPY_A_WAKER)
Waker misuse(const Waker& waker) {
  return waker;
}
#elif defined(KEEP_A_CONTEXT)
Context misuse(const Context& context) {
  return context;
}
#elif defined(IGNORE_A_POLL)
void misuse(Sleep& sleep, Context& context) {
  sleep.poll(context);
}
#elif defined(IGNORE_A_COROUTINE)
void misuse() {
  answer();
}
#elif defined(OVERFILL_A_SLOT)
struct Large : Immovable {
  using Output = void;
  static Poll<> poll(Context&) { return ready; }
  std::array<std::byte, 65> kept;
};
void misuse(FixedExecutor<1, 64>& executor) {
  static_cast<void>(executor.spawn([] { return Large{}; }));
}
#elif defined(SEND_WHAT_MAY_THROW_ON_ITS_WAY)
struct Throwing {
  Throwing(Throwing&&) noexcept(false);
};
void misuse() {
  Channel<Throwing> channel{1};
}
#endif

}  // namespace stackless
