// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/workloads/lounge.hpp"

namespace harness {

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

// ---- the ways to cancel -------------------------------------------------------------------------

/// The handles of guests that can be told to go.
template <class Handle, void (Handle::*tell_to_go)()>
class Handles {
 public:
  std::error_code keep(Handle handle, std::error_code error) {
    handles_.push_back(std::move(handle));
    return error;
  }
  void tell_all_to_go() {
    for (auto& handle : handles_) (handle.*tell_to_go)();
  }
  void let_go() { handles_.clear(); }

 private:
  std::vector<Handle> handles_;
};

/// A future is dropped, with all that it holds: so is a coroutine's frame.
template <class C>
class Guests {
 public:
  using B = typename C::Backend;
  static constexpr std::string_view way = C::dialect == Dialect::future
                                              ? "by dropping the future"
                                              : "by destroying the coroutine's frame";

  std::error_code add(Lounge& lounge, typename B::Runtime& runtime, int end) {
    const auto spawn = [&](auto make) {
      std::error_code error;
      auto handle = runtime.spawn_joinable(make, error);
      return handles_.keep(std::move(handle), error);
    };
    if constexpr (C::dialect == Dialect::coroutine) {
      return spawn([&] { return wait_coroutine<B>(lounge, runtime, end); });
    } else {
      return lounge.reads() ? spawn([&] {
        return ReadFuture<B>{lounge, runtime, end};
      })
                            : spawn([&] { return SleepFuture<B>{lounge}; });
    }
  }
  void cancel(Lounge&, typename B::Runtime&) {
    handles_.tell_all_to_go();
    handles_.let_go();
  }

 private:
  using Handle = stackless::JoinHandle<void>;
  Handles<Handle, &Handle::abort> handles_;
};

/// A fiber's stack is unwound in its turn.
template <>
class Guests<Fibers> {
 public:
  using B = Fibers::Backend;
  static constexpr std::string_view way = "by unwinding the stack";

  std::error_code add(Lounge& lounge, B::Runtime& runtime, int end) {
    std::error_code error;
    auto handle = stackful::spawn_joinable(
        runtime.here(), [&lounge, &runtime, end] { wait_direct<B>(lounge, runtime, end); }, error);
    return handles_.keep(std::move(handle), error);
  }
  void cancel(Lounge& lounge, B::Runtime&) {
    handles_.tell_all_to_go();
    while (!lounge.all_left()) B::yield();
    handles_.let_go();
  }

 private:
  using Handle = stackful::JoinHandle<void>;
  Handles<Handle, &Handle::cancel> handles_;
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

}  // namespace harness
