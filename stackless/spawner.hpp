// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <new>
#include <system_error>

#include "stackless/future.hpp"
#include "stackless/join_handle.hpp"

namespace stackless {

/// Makes a task T of the future that `make` returns, built in place in the task's one allocation,
/// for an executor that is closing or not. nullptr and an `error`, or the task, and no change of
/// `error`.
template <class T, class E, class Make>
T* create_task(E& executor, bool closing, Make& make, std::error_code& error) {
  if (closing) [[unlikely]] {
    error = std::make_error_code(std::errc::operation_canceled);
    return nullptr;
  }
  try {
    return new T{executor, make};
  } catch (const std::bad_alloc&) {
    error = std::make_error_code(std::errc::not_enough_memory);
    return nullptr;
  }
}

/// How an executor E comes by its tasks: it says what they are (`E::Detached<F>`,
/// `E::Joinable<F>`) and whether it is closing, and adopts them.
template <class E>
class Spawner {
 public:
  /// Makes a task of the future that `make` returns. Nothing of it runs before its first poll, and
  /// its output is dropped. On failure nothing has been created: not_enough_memory;
  /// operation_canceled while the executor is being destroyed. What else `make` throws is passed
  /// on.
  template <FutureFactory Make>
  std::error_code spawn(Make&& make) {
    std::error_code error;
    auto* const task = create<typename E::template Detached<FutureOf<Make>>>(make, error);
    if (task != nullptr) self().adopt(*task);
    return error;
  }
  /// The same, with a handle to await, abort or detach it by; an exception that leaves the future
  /// goes to whoever joins. On failure `error` says why, and the handle is empty.
  template <FutureFactory Make>
  JoinHandle<OutputOf<FutureOf<Make>>> spawn_joinable(Make&& make, std::error_code& error) {
    error.clear();
    auto* const task = create<typename E::template Joinable<FutureOf<Make>>>(make, error);
    if (task == nullptr) return {};
    auto handle = task->handle();
    self().adopt(*task);
    return handle;
  }

 private:
  friend E;
  Spawner() = default;

  E& self() noexcept { return static_cast<E&>(*this); }
  template <class T, class Make>
  T* create(Make& make, std::error_code& error) {
    return create_task<T>(self(), self().closing_, make, error);
  }
};

}  // namespace stackless
