// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/cancel.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/lounge.hpp"

namespace harness {

namespace {

// ---- the bodies: one that waits for a socket or a moment, with a buffer of its own --------------

template <class B>
void wait_direct(Lounge& lounge, typename B::Runtime& runtime, int end) {
  const Lounge::Guest guest{lounge};
  const auto buffer = std::make_unique<Lounge::Buffer>();
  if (!lounge.reads()) {
    lounge.arrive();
    return B::sleep_until(Lounge::closing_time());
  }
  std::error_code error;
  typename B::Stream stream{runtime, io::Descriptor{end}, error};
  lounge.arrive(error);
  static_cast<void>(stream.read_some(*buffer));  // a thread's ends with the socket
}

template <class B>
class SleepFuture : stackless::Immovable {
 public:
  using Output = void;

  explicit SleepFuture(Lounge& lounge)
      : guest_{lounge}, buffer_{new Lounge::Buffer}, sleep_{Lounge::closing_time()} {
    lounge.arrive();
  }
  stackless::Poll<void> poll(stackless::Context& context) { return sleep_.poll(context); }

 private:
  Lounge::Guest guest_;
  std::unique_ptr<Lounge::Buffer> buffer_;
  stackless::Sleep sleep_;
};

template <class B>
class ReadFuture : stackless::Immovable {
 public:
  using Output = void;

  ReadFuture(Lounge& lounge, typename B::Runtime& runtime, int end)
      : guest_{lounge},
        buffer_{new Lounge::Buffer},
        stream_{runtime, io::Descriptor{end}, error_},
        read_{stream_, *buffer_} {
    lounge.arrive(error_);
  }
  stackless::Poll<void> poll(stackless::Context& context) {
    if (read_.poll(context).is_pending()) return stackless::pending;
    return stackless::ready;
  }

 private:
  Lounge::Guest guest_;
  std::unique_ptr<Lounge::Buffer> buffer_;
  std::error_code error_;
  typename B::Stream stream_;
  typename B::Stream::Read read_;
};

template <class B>
stackless::Async<void> wait_coroutine(Lounge& lounge, typename B::Runtime& runtime, int end) {
  const Lounge::Guest guest{lounge};
  const auto buffer = std::make_unique<Lounge::Buffer>();
  if (!lounge.reads()) {
    lounge.arrive();
    co_await B::sleep_until(Lounge::closing_time());
    co_return;
  }
  std::error_code error;
  typename B::Stream stream{runtime, io::Descriptor{end}, error};
  lounge.arrive(error);
  static_cast<void>(co_await stream.read_some(*buffer));
}

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

// ---- the ways to cancel -------------------------------------------------------------------------

/// A future is dropped, with all that it holds: so is a coroutine's frame.
template <class C>
class Guests {
 public:
  using B = typename C::Backend;
  static constexpr std::string_view way = C::dialect == Dialect::future
                                              ? "by dropping the future"
                                              : "by destroying the coroutine's frame";

  std::error_code add(Lounge& lounge, typename B::Runtime& runtime, int end) {
    std::error_code error;
    if constexpr (C::dialect == Dialect::coroutine) {
      keep(runtime.spawn_joinable([&] { return wait_coroutine<B>(lounge, runtime, end); }, error));
    } else if (lounge.reads()) {
      keep(runtime.spawn_joinable([&] { return ReadFuture<B>{lounge, runtime, end}; }, error));
    } else {
      keep(runtime.spawn_joinable([&] { return SleepFuture<B>{lounge}; }, error));
    }
    return error;
  }
  void cancel(Lounge&, typename B::Runtime&) {
    for (auto& handle : handles_) handle.abort();
    handles_.clear();
  }

 private:
  void keep(stackless::JoinHandle<void> handle) { handles_.push_back(std::move(handle)); }

  std::vector<stackless::JoinHandle<void>> handles_;
};

/// A fiber's stack is unwound in its turn.
template <>
class Guests<Fibers> {
 public:
  using B = Fibers::Backend;
  static constexpr std::string_view way = "by unwinding the stack";

  std::error_code add(Lounge& lounge, B::Runtime& runtime, int end) {
    std::error_code error;
    handles_.push_back(stackful::spawn_joinable(
        runtime.here(), [&lounge, &runtime, end] { wait_direct<B>(lounge, runtime, end); }, error));
    return error;
  }
  void cancel(Lounge& lounge, B::Runtime&) {
    for (auto& handle : handles_) handle.cancel();
    while (!lounge.all_left()) B::yield();
    handles_.clear();
  }

 private:
  std::vector<stackful::JoinHandle<void>> handles_;
};

/// A thread in the kernel cannot be told to go; but its read returns when its socket is shut down.
template <>
class Guests<Threads> {
 public:
  using B = Threads::Backend;
  static constexpr std::string_view way = "by shutting the socket down";

  std::error_code add(Lounge& lounge, B::Runtime& runtime, int end) {
    ends_.push_back(end);
    return runtime.spawn([&lounge, &runtime, end] { wait_direct<B>(lounge, runtime, end); });
  }
  void cancel(Lounge& lounge, B::Runtime& runtime) {
    for (const int end : ends_) {
      if (::shutdown(end, SHUT_RDWR) != 0) lounge.port().give_up("failed: shutdown of a socket");
    }
    while (runtime.live_tasks() > 1) B::yield();
    ends_.clear();
  }

 private:
  std::vector<int> ends_;
};

// ---- the leader: brings them in, waits until they wait, cancels them ----------------------------

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
    std::size_t timers = 0;
    if constexpr (requires { runtime.reactor(); }) timers = runtime.reactor().timers().size();
    lounge.audit(timers, runtime.live_tasks());
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

/// Dropping a promise stops nothing: how many go on all the same.
void run_without_token(Port& port, std::size_t tasks) {
  Lounge lounge{port, tasks, false};
  stackless::push::Loop loop;
  for (std::size_t made = 0; made != tasks; ++made) {
    static_cast<void>(loop.spawn([&] { wait_callback(lounge, loop, -1, {}); }));
  }
  if (lounge.inside() != loop.operations()) {
    return port.failure("wrong: the loop does not await what the tasks wait for");
  }
  port.result("left_per_task", static_cast<double>(lounge.inside()) / static_cast<double>(tasks));
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
    lounge.audit(loop.reactor().timers().size(), loop.operations());
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
