// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/wake.hpp"

namespace harness {

namespace {

/// A task that waits for an event, and what happens to it.
template <class B>
struct Torment {
  Torment(Port& port, typename B::Runtime& runtime, std::uint64_t spurious)
      : batches{port.measure_for(), spurious + 1},
        event{runtime},
        spurious_wakes{spurious},
        spurious_left{spurious} {}

  /// The task, whenever its wait is over; whether to wait again.
  bool answer() {
    if (++answers != sets) ++wrong_answers;
    if (--rounds_left != 0) return true;
    if (!started) {
      batches.start();
    } else if (!batches.lap()) {
      return false;
    }
    started = true;
    rounds_left = batches.rounds();
    return true;
  }
  /// Between two polls, from within the first: arranges for the second, in vain or not.
  void go_on(const stackless::Waker& waker) {
    if (spurious_left != 0) {
      --spurious_left;
      return waker.wake_by_ref();
    }
    spurious_left = spurious_wakes;
    ++sets;
    event.set();
  }

  Batches batches;
  typename B::Event event;
  std::uint64_t spurious_wakes;  // for each that is none
  std::uint64_t spurious_left;
  std::uint64_t rounds_left = 1;
  std::uint64_t sets = 0;
  std::uint64_t answers = 0;
  std::uint64_t wrong_answers = 0;
  std::uint64_t polls = 0;
  bool started = false;
};

// ---- the bodies, and who torments them: only what is polled can be polled for nothing -----------

template <class B>
struct Patient {
  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Torment<B>& torment) noexcept : torment_{&torment} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      while (torment_->event.poll_wait(context).is_ready()) {
        if (!torment_->answer()) return stackless::ready;
      }
      return stackless::pending;
    }

   private:
    Torment<B>* torment_;
  };

  static stackless::Async<void> coroutine(Torment<B>& torment) {
    do {
      co_await torment.event.wait();
    } while (torment.answer());
  }
};

template <class B, class Body>
class Tormented : stackless::Immovable {
 public:
  using Output = void;

  Tormented(Torment<B>& torment, Body (*make)(Torment<B>&))
      : torment_{&torment}, body_{make(torment)} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    ++torment_->polls;
    if (body_.poll(context).is_ready()) return stackless::ready;
    torment_->go_on(context.waker());
    return stackless::pending;
  }

 private:
  Torment<B>* torment_;
  Body body_;
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime,
                      Torment<typename C::Backend>& torment) {
  using B = typename C::Backend;
  using Future = typename Patient<B>::Future;
  if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&] {
      return Tormented<B, Future>{torment, [](Torment<B>& shared) {
                                    return Future{shared};
                                  }};
    });
  } else {
    return runtime.spawn([&] {
      return Tormented<B, stackless::Async<void>>{torment, &Patient<B>::coroutine};
    });
  }
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Torment<B> torment{port, runtime, cell.number("spurious")};
  if (const auto error = spawn<C>(runtime, torment)) port.give_up(refusal(error, 0));
  runtime.run();
  const std::uint64_t wakes = torment.answers * (torment.spurious_wakes + 1);
  if (torment.wrong_answers != 0 || torment.polls != wakes + 1) {
    return port.failure(
        fmt::format("wrong: {} of {} waits were over too soon, {} polls for {} wakes",
                    torment.wrong_answers, torment.answers, torment.polls, wakes));
  }
  torment.batches.report(port, "wake");
  port.result("spurious_polls_per_op",
              static_cast<double>(torment.polls - 1) / static_cast<double>(torment.answers) - 1);
}

}  // namespace

void run_spurious_wakes(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() {
    if constexpr (C::dialect == Dialect::direct) {
      port.failure(fmt::format("refused: {} have no polls", C::name));
    } else {
      run<C>(port, cell);
    }
  });
}

}  // namespace harness
