// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/workloads/compose.hpp"

namespace harness {

namespace {

using Effects = std::uint64_t;

// ---- the bodies: an effect, a wait, another effect ----------------------------------------------

auto act_future(Effects& effects) {
  const auto act = [&effects] {
    return stackless::poll_fn([&effects](stackless::Context&) {
      ++effects;
      return stackless::ready;
    });
  };
  return stackless::sequence(
      act, [] { return stackless::yield(); }, act);
}

stackless::Async<void> act_coroutine(Effects& effects) {
  ++effects;
  co_await stackless::yield();
  ++effects;
}

stackless::push::Promise<void> act_callback(Effects& effects) {
  ++effects;
  return stackless::push::yield().then([&effects] { ++effects; });
}

// ---- the cell -----------------------------------------------------------------------------------

/// Calls the body, in a task that nobody has polled yet.
template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, Effects& effects) {
  if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&effects] { return act_future(effects); });
  } else if constexpr (C::dialect == Dialect::coroutine) {
    return runtime.spawn([&effects] { return act_coroutine(effects); });
  } else {
    return runtime.spawn([&effects] { return act_callback(effects); });
  }
}

template <class C>
void run(Port& port) {
  typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
  Effects effects = 0;
  const bool spawned = !spawn<C>(runtime, effects);
  const Effects before = effects;
  runtime.run();
  if (!spawned || effects != 2) {
    return port.failure(fmt::format("wrong: {} effects of 2 in the end", effects));
  }
  port.result("effects_before_poll", static_cast<double>(before));
}

}  // namespace

void run_before(Port& port, const Cell& cell) {
  with_contender<Composers>(cell.contender, [&]<class C>() { run<C>(port); });
}

}  // namespace harness
