// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/workloads/baton.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/crowd.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
struct MakeWay {
  using Seat = typename Crowd<B>::Seat;

  static void direct(Seat& seat) {
    while (seat.stays()) B::yield();
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Seat& seat) noexcept : seat_{&seat} {}

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
    Seat* seat_;
    std::optional<stackless::Yield> yielding_;
  };

  static stackless::Async<void> coroutine(Seat& seat) {
    while (seat.stays()) co_await B::yield();
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  Batches batches{port.measure_for(), tasks};
  typename B::Runtime runtime{options_of<B>(cell)};
  Crowd<B> crowd{runtime, tasks, batches};
  spawn_each<C, MakeWay<B>>(port, runtime, crowd.seats());
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
