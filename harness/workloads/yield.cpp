// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/baton.hpp"
#include "harness/workloads/crowd.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
void make_way_direct(typename Crowd<B>::Seat& seat) {
  while (seat.stays()) B::yield();
}

template <class B>
class MakeWay : stackless::Immovable {
 public:
  using Output = void;

  explicit MakeWay(typename Crowd<B>::Seat& seat) noexcept : seat_{&seat} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    while (!yielding_ || yielding_->poll(context).is_ready()) {
      yielding_.reset();
      if (!seat_->stays()) return stackless::ready;
      yielding_.emplace();
      if (yielding_->poll(context).is_pending()) break;
    }
    return stackless::pending;
  }

 private:
  typename Crowd<B>::Seat* seat_;
  std::optional<stackless::Yield> yielding_;
};

template <class B>
stackless::Async<void> make_way_coroutine(typename Crowd<B>::Seat& seat) {
  while (seat.stays()) co_await B::yield();
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime,
                      typename Crowd<typename C::Backend>::Seat& seat) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&seat] { make_way_direct<B>(seat); });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&seat] { return MakeWay<B>{seat}; });
  } else {
    return runtime.spawn([&seat] { return make_way_coroutine<B>(seat); });
  }
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  Batches batches{port.measure_for(), tasks};
  typename B::Runtime runtime{options_of<B>(cell)};
  Crowd<B> crowd{runtime, tasks, batches};
  for (auto& seat : crowd.seats()) {
    if (const auto error = spawn<C>(runtime, seat)) port.give_up(refusal(error, seat.number));
  }
  runtime.run();
  if (const auto who = crowd.cheated()) {
    return port.failure(fmt::format("wrong: task {} of {} never had its turn", *who, tasks));
  }
  batches.report(port, "switch");
}

}  // namespace

void run_yield(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() { run<C>(port, cell); });
}

}  // namespace harness
