// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/torment.hpp"
#include "harness/workloads/wake.hpp"

namespace harness {

namespace {

// ---- the bodies: only what is polled can be polled for nothing ----------------------------------

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
  torment.report(port);
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
