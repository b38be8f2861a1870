// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/cancel.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/guests.hpp"
#include "harness/workloads/lounge.hpp"

namespace harness {

namespace {

// ---- the leader: brings them in, waits until they wait, cancels them ----------------------------

template <class Runtime>
InRuntime held_by(Runtime& runtime) {
  InRuntime held{.tasks = runtime.live_tasks()};
  if constexpr (requires { runtime.reactor(); }) held.timers = runtime.reactor().timers().size();
  if constexpr (requires { runtime.here().stacks(); }) held.stacks = runtime.here().stacks().lent();
  return held;
}

template <class C>
struct House {
  using B = typename C::Backend;

  void spawn_all() {
    for (std::size_t made = 0; made != lounge.tasks(); ++made) {
      const int end = lounge.reads() ? lounge.take_end(made) : -1;
      if (const auto error = guests.add(lounge, runtime, end)) {
        lounge.port().give_up(refusal(error, made));
      }
    }
  }
  void cancel_all() {
    lounge.time([this] { guests.cancel(lounge, runtime); });
    lounge.audit(held_by(runtime));
  }

  Lounge& lounge;
  typename B::Runtime& runtime;
  Guests<C> guests{};
};

template <class C>
struct Lead {
  using B = typename C::Backend;

  static void direct(House<C>& house) {
    while (house.lounge.open(B::mode)) {
      house.spawn_all();
      while (!house.lounge.all_arrived()) B::yield();
      B::sleep_until(Lounge::when_all_wait());
      house.cancel_all();
    }
  }
  static stackless::Async<void> coroutine(House<C>& house) {
    while (house.lounge.open(B::mode)) {
      house.spawn_all();
      while (!house.lounge.all_arrived()) co_await B::yield();
      co_await B::sleep_until(Lounge::when_all_wait());
      house.cancel_all();
    }
  }
};

template <class C>
void run_tasks(Lounge& lounge) {
  typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
  House<C> house{lounge, runtime};
  if (const auto error = spawn_body<C, Lead<C>>(runtime, house)) {
    lounge.port().give_up(refusal(error, 0));
  }
  runtime.run();
  lounge.port().note(Guests<C>::way);
}

// ---- the push model: a token calls off, nobody leads --------------------------------------------

struct CallbackGuest {
  CallbackGuest(Lounge& lounge, stackless::push::Loop& loop, int end)
      : guest{lounge}, buffer{new Lounge::Buffer} {
    if (lounge.reads()) stream.emplace(loop, io::Descriptor{end}, error);
    lounge.arrive(error);
  }
  Lounge::Guest guest;
  std::unique_ptr<Lounge::Buffer> buffer;
  std::error_code error;
  std::optional<stackless::push::Stream> stream;
};

void wait_callback(Lounge& lounge, stackless::push::Loop& loop, int end,
                   stackless::push::CancellationToken token) {
  auto guest = std::make_unique<CallbackGuest>(lounge, loop, end);
  auto& stream = guest->stream;
  if (stream) {
    stream->read_some(*guest->buffer, std::move(token))
        .when_settled([guest = std::move(guest)](const auto&) {});
  } else {
    stackless::push::sleep_until(Lounge::closing_time(), std::move(token))
        .when_settled([guest = std::move(guest)](const auto&) {});
  }
}

stackless::push::Promise<> sleep_without_token(Lounge& lounge, stackless::push::Loop& loop) {
  auto guest = std::make_unique<CallbackGuest>(lounge, loop, -1);
  return stackless::push::sleep_until(Lounge::closing_time()).finally([guest = std::move(guest)] {
  });
}

/// Drops the promise of everybody's sleep, which is all there is to cancel with: how many are
/// awaited all the same.
void run_without_token(Port& port, std::size_t tasks) {
  Lounge lounge{port, tasks, false};
  stackless::push::Loop loop;
  std::vector<stackless::push::Promise<>> promises;
  for (std::size_t made = 0; made != tasks; ++made) {
    static_cast<void>(loop.spawn([&] { promises.push_back(sleep_without_token(lounge, loop)); }));
  }
  if (lounge.inside() != tasks || loop.operations() != tasks) {
    return port.failure("wrong: the loop does not await what the tasks wait for");
  }
  static_cast<void>(loop.spawn([&] { promises.clear(); }));
  const std::size_t left = loop.operations();
  if (lounge.inside() < left) {
    return port.failure("wrong: a task is gone, and what it waited for is still awaited");
  }
  port.result("left_per_task", static_cast<double>(left) / static_cast<double>(tasks));
}

/// Everybody is under way once called: no leader has to wait for them.
template <>
void run_tasks<Callbacks>(Lounge& lounge) {
  stackless::push::Loop loop;
  std::vector<stackless::push::CancellationSource> sources;
  while (lounge.open(Callbacks::Backend::mode)) {
    sources.resize(lounge.tasks());
    for (std::size_t made = 0; made != lounge.tasks(); ++made) {
      const int end = lounge.reads() ? lounge.take_end(made) : -1;
      static_cast<void>(
          loop.spawn([&] { wait_callback(lounge, loop, end, sources[made].token()); }));
    }
    lounge.time([&] {
      static_cast<void>(loop.spawn([&] {
        for (auto& source : sources) source.cancel();
      }));
      loop.run();
      sources.clear();
    });
    lounge.audit({.timers = loop.reactor().timers().size(), .tasks = loop.operations()});
  }
  lounge.port().note("by a token a task");
}

template <class C>
void run(Port& port, const Cell& cell) {
  if (cell.text("token") == "none") {
    return run_without_token(port, static_cast<std::size_t>(cell.number("tasks")));
  }
  const bool reads = cell.text("what") == "read";
  if constexpr (C::dialect == Dialect::future) {
    if (cell.text("what") == "timer") return run_timers_in_futures(port, cell);
  } else if constexpr (C::dialect == Dialect::coroutine) {
    if (cell.text("what") == "timer") return run_timers_in_coroutines(port, cell);
  }
  if constexpr (std::is_same_v<C, BoostFibers>) {
    return port.failure("refused: boost-fibers cannot be cancelled");
  } else {
    if (std::is_same_v<C, Threads> && !reads) {
      return port.failure("refused: a sleeping thread cannot be cancelled");
    }
    raise_descriptor_limit();
    Lounge lounge{port, static_cast<std::size_t>(cell.number("tasks")), reads};
    run_tasks<C>(lounge);
    lounge.report();
  }
}

}  // namespace

std::vector<Subject> cancel_subjects() {
  auto subjects = subjects_of("cancel", []<class C>() { return &run<C>; });
  subjects.push_back({"cancel", Callbacks::name, &run<Callbacks>});
  subjects.push_back({"cancel", "floor-wheel", &run_timers_alone});
  return subjects;
}

}  // namespace harness
