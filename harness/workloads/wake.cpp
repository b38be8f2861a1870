// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake.hpp"

#include "harness/contenders.hpp"
#include "harness/doorbell.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"

namespace harness {

namespace {

// ---- the bodies: one who sleeps until the bell rings --------------------------------------------

template <class B>
struct Answer {
  using Event = typename B::Event;

  static void direct(Event& event, Doorbell& bell) {
    do {
      event.wait();
    } while (bell.answer());
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Event& event, Doorbell& bell) noexcept : event_{&event}, bell_{&bell} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      while (event_->poll_wait(context).is_ready()) {
        if (!bell_->answer()) return stackless::ready;
      }
      return stackless::pending;
    }

   private:
    Event* event_;
    Doorbell* bell_;
  };

  static stackless::Async<void> coroutine(Event& event, Doorbell& bell) {
    do {
      co_await event.wait();
    } while (bell.answer());
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port) {
  using B = typename C::Backend;
  Doorbell bell{port.measure_for()};
  typename B::Runtime runtime{typename B::Options{}};
  typename B::Event event{runtime};
  const auto outside = bell.ring_from_the_other_cpu([&event] { event.set(); });
  const auto error = spawn_body<C, Answer<B>>(runtime, event, bell);
  if (error) port.give_up(refusal(error, 0));
  runtime.run();
  bell.report_with_calls(port);
}

void run_any(Port& port, const Cell& cell) {
  if (cell.has("from")) return run_wake_from_thread(port, cell);
  if (cell.has("spurious")) return run_spurious_wakes(port, cell);
  if (cell.has("wait")) return run_wait(port, cell);
  run_wake_rule(port, cell);
}

}  // namespace

void run_wake_from_thread(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() { run<C>(port); });
}

std::vector<Subject> wake_subjects() {
  return subjects_of("wake", []<class C>() { return &run_any; });
}

}  // namespace harness
