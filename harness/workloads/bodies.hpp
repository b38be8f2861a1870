// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <system_error>
#include <utility>

#include "harness/concepts.hpp"
#include "harness/limits.hpp"
#include "harness/subject.hpp"
#include "io/socket.hpp"

namespace harness {

/// Whether these bodies hold a hand-written future; where not, the coroutine serves both poll
/// dialects.
template <class Bodies>
concept HasFuture = requires {
  typename Bodies::Future;
};

/// Spawns a task whose body is written in each dialect side by side, as members of `Bodies`:
/// `direct(args…)`, `Future{args…}`, `coroutine(args…)`, `callback(args…)`. It takes the one of
/// contender C, and what the task shares with others by reference. Fails like the runtime's spawn.
template <class C, class Bodies, class... Shared>
std::error_code spawn_body(typename C::Backend::Runtime& runtime, Shared&... shared) {
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&shared...] { Bodies::direct(shared...); });
  } else if constexpr (C::dialect == Dialect::future && HasFuture<Bodies>) {
    return runtime.spawn([&] { return typename Bodies::Future{shared...}; });
  } else if constexpr (C::dialect == Dialect::callback) {
    return runtime.spawn([&] { Bodies::callback(shared...); });
  } else {
    return runtime.spawn([&] { return Bodies::coroutine(shared...); });
  }
}

/// The same for a body whose last argument is a descriptor of its own. It stays the caller's until
/// the task is there: closing it (which may make a client leave, and others with it) would put the
/// limit that was met far away by the time it is looked for.
template <class C, class Bodies, class... Shared>
std::error_code spawn_owner(typename C::Backend::Runtime& runtime, io::Descriptor& descriptor,
                            Shared&... shared) {
  if constexpr (C::dialect == Dialect::direct) {
    const std::error_code error = runtime.spawn(
        [&shared..., own = descriptor.get()] { Bodies::direct(shared..., io::Descriptor{own}); });
    if (!error) (void)descriptor.release();
    return error;
  } else if constexpr (C::dialect == Dialect::future && HasFuture<Bodies>) {
    return runtime.spawn([&] { return typename Bodies::Future{shared..., std::move(descriptor)}; });
  } else {
    return runtime.spawn([&] { return Bodies::coroutine(shared..., std::move(descriptor)); });
  }
}

/// A task for each of the seats, which is the first argument of its body; a limit that is met on
/// the way is the end of the cell.
template <class C, class Bodies, class Seats, class... Shared>
void spawn_each(Port& port, typename C::Backend::Runtime& runtime, Seats& seats,
                Shared&... shared) {
  std::uint64_t made = 0;
  for (auto& seat : seats) {
    const std::error_code error = spawn_body<C, Bodies>(runtime, seat, shared...);
    if (error) port.give_up(refusal(error, made));
    ++made;
  }
}

}  // namespace harness
