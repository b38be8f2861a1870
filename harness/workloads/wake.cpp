// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/wake.hpp"

#include <fmt/format.h>

#include "harness/contenders.hpp"
#include "harness/doorbell.hpp"
#include "harness/limits.hpp"

namespace harness {

namespace {

// ---- the bodies: one who sleeps until the bell rings --------------------------------------------

template <class B>
void answer_direct(typename B::Event& event, Doorbell& bell) {
  do {
    event.wait();
  } while (bell.answer());
}

template <class B>
class Answer : stackless::Immovable {
 public:
  using Output = void;

  Answer(typename B::Event& event, Doorbell& bell) noexcept : event_{&event}, bell_{&bell} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    while (event_->poll_wait(context).is_ready()) {
      if (!bell_->answer()) return stackless::ready;
    }
    return stackless::pending;
  }

 private:
  typename B::Event* event_;
  Doorbell* bell_;
};

template <class B>
stackless::Async<void> answer_coroutine(typename B::Event& event, Doorbell& bell) {
  do {
    co_await event.wait();
  } while (bell.answer());
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, typename C::Backend::Event& event,
                      Doorbell& bell) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&] { answer_direct<B>(event, bell); });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&] { return Answer<B>{event, bell}; });
  } else {
    return runtime.spawn([&] { return answer_coroutine<B>(event, bell); });
  }
}

template <class C>
void run(Port& port) {
  using B = typename C::Backend;
  Doorbell bell{port.measure_for()};
  typename B::Runtime runtime{typename B::Options{}};
  typename B::Event event{runtime};
  const auto outside = bell.ring_from_the_other_cpu([&event] { event.set(); });
  if (const auto error = spawn<C>(runtime, event, bell)) port.give_up(refusal(error, 0));
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
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() { subjects.push_back({"wake", C::name, &run_any}); });
  return subjects;
}

}  // namespace harness
