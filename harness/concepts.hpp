// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

#include "io/clock.hpp"
#include "io/socket.hpp"

namespace harness {

/// How a contender's workload body is written.
enum class Dialect { direct, future, coroutine, callback };

/// What all rooms share. `Runtime(Options)` owns workers and reactor; `run()` returns when every
/// task has ended. `spawn` takes a body: any callable for direct style, a callable that makes the
/// future in place for poll style. It may be called before run() and by any task; it fails with the
/// limit's error_code and then has created nothing.
template <class B>
concept Backend = requires(typename B::Runtime& runtime, typename B::Event& event) {
  typename B::Options;
  typename B::Stream;    // Stream(Runtime&, io::Descriptor, std::error_code&); stays put
  typename B::Listener;  // Listener(Runtime&, io::Descriptor, std::error_code&); stays put
  requires std::constructible_from<typename B::Runtime, typename B::Options>;
  requires std::constructible_from<typename B::Event, typename B::Runtime&>;
  requires std::constructible_from<typename B::Stream, typename B::Runtime&, io::Descriptor,
                                   std::error_code&>;
  runtime.run();
  { runtime.live_tasks() } -> std::convertible_to<std::size_t>;  // that have not ended
  event.set();                                   // auto-reset, sticky, one waiter, from any thread
  { B::mode } -> std::convertible_to<io::Mode>;  // how its descriptors are to be opened
};

/// Direct style: a call returns when it is done; the task's stack remembers the rest.
template <class B>
concept DirectBackend = Backend<B> &&
    requires(typename B::Runtime& runtime, typename B::Event& event, typename B::Stream& stream,
             typename B::Listener& listener, std::span<std::byte> in,
             std::span<const std::byte> out, std::error_code& error, io::TimePoint deadline) {
  {
    runtime.spawn([] {})
    } -> std::same_as<std::error_code>;
  event.wait();
  { stream.read_some(in) } -> std::same_as<io::Transfer>;
  { stream.write_some(out) } -> std::same_as<io::Transfer>;
  { listener.accept(error) } -> std::same_as<io::Descriptor>;
  B::sleep_until(deadline);
  B::yield();
};

/// Poll style: the same verbs as futures: a call returns at once; pending = the waker is kept.
template <class B>
concept PollBackend = Backend<B> &&
    requires(typename B::Event& event, typename B::Stream& stream, typename B::Listener& listener,
             std::span<std::byte> in, std::span<const std::byte> out, std::error_code& error,
             io::TimePoint deadline) {
  event.wait();              // Future<void>
  stream.read_some(in);      // Future<io::Transfer>
  stream.write_some(out);    // Future<io::Transfer>
  listener.accept(error);    // Future<io::Descriptor>
  B::sleep_until(deadline);  // Future<void>
  B::yield();                // Future<void>
};

}  // namespace harness
