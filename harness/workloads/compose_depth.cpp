// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/row.hpp"
#include "harness/workloads/compose.hpp"
#include "harness/workloads/compose_levels.hpp"
#include "harness/workloads/composition.hpp"
#include "harness/workloads/probes/nest.hpp"

namespace harness {

namespace {

// ---- the bodies, beside those of probes/nest.hpp
// ------------------------------------------------------------------------------

template <unsigned depth>
stackless::push::Promise<std::uint64_t> nest_callback(const Source& source) {
  if constexpr (depth == 0) {
    return stackless::push::Promise<std::uint64_t>{source.value};
  } else {
    return nest_callback<depth - 1>(source).then([](std::uint64_t value) { return mix(value); });
  }
}

// ---- the cell -----------------------------------------------------------------------------------

/// Polls with nobody to wake: what is composed of what is there is done at once.
template <stackless::Future F>
std::uint64_t output_of(F& future) {
  const stackless::Waker nobody;
  stackless::Context context{nobody};
  auto polled = future.poll(context);
  if (polled.is_pending()) throw Failure{"wrong: pending, though the value was there"};
  return polled.take();
}

template <class C, unsigned depth>
std::uint64_t compose(const Source& source,
                      [[maybe_unused]] typename C::Backend::Runtime& runtime) {
  if constexpr (C::dialect == Dialect::future) {
    auto future = nest<depth>(source);
    return output_of(future);
  } else if constexpr (C::dialect == Dialect::coroutine) {
    auto coroutine = nest_coroutine<depth>(source);
    return output_of(coroutine);
  } else {
    std::uint64_t output = 0;
    (void)runtime.spawn([&] {  // never fails
      return nest_callback<depth>(source).then([&output](std::uint64_t value) { output = value; });
    });
    runtime.run();
    return output;
  }
}

template <class C, unsigned depth>
void run(Port& port) {
  typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
  measure_depth(
      port, depth, [&](Source& source) { return compose<C, depth>(source, runtime); },
      [&](Source& source) { return compose<C, 1>(source, runtime); });
  if constexpr (C::dialect == Dialect::future) {
    port.result("state_bytes", sizeof(decltype(nest<depth>(std::declval<const Source&>()))));
  }
}

}  // namespace

void run_depth(Port& port, const Cell& cell) {
  with_contender<Composers>(cell.contender, [&]<class C>() {
    [&]<std::size_t... which>(std::index_sequence<which...>) {
      ((depths[which] == cell.number("depth") ? run<C, depths[which]>(port) : void()), ...);
    }
    (std::make_index_sequence<depths.size()>{});
  });
}

}  // namespace harness
