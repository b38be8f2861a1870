// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "io/clock.hpp"
#include "io/socket.hpp"

// Each case of the suite is written once, as a script: a coroutine that stops at every operation of
// the contract. What an operation means is left to the contender that plays it (contenders.hpp): a
// call that blocks, a future that is polled, or a co_await.

namespace contract {

template <class Derived>
struct Stop {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> script) noexcept {
    script.promise().first->stopped_at = static_cast<Derived*>(this);
  }
};

template <class Event>
struct Wait : Stop<Wait<Event>> {
  explicit Wait(Event& to_wait_for) : event{to_wait_for} {}
  void await_resume() const noexcept {}
  Event& event;
};

struct Sleep : Stop<Sleep> {
  explicit Sleep(io::TimePoint until) : deadline{until} {}
  void await_resume() const noexcept {}
  io::TimePoint deadline;
};

struct Yield : Stop<Yield> {
  void await_resume() const noexcept {}
};

template <class Stream>
struct Read : Stop<Read<Stream>> {
  Read(Stream& from, std::span<std::byte> buffer) : stream{from}, into{buffer} {}
  [[nodiscard]] io::Transfer await_resume() const noexcept { return result; }
  Stream& stream;
  std::span<std::byte> into;
  io::Transfer result{};
};

template <class Stream>
struct Write : Stop<Write<Stream>> {
  Write(Stream& to, std::span<const std::byte> bytes) : stream{to}, from{bytes} {}
  [[nodiscard]] io::Transfer await_resume() const noexcept { return result; }
  Stream& stream;
  std::span<const std::byte> from;
  io::Transfer result{};
};

/// The connection and the error go to the caller's variables.
template <class Listener>
struct Accept : Stop<Accept<Listener>> {
  Accept(Listener& at, io::Descriptor& into, std::error_code& outcome)
      : listener{at}, connection{into}, error{outcome} {}
  void await_resume() const noexcept {}
  Listener& listener;
  io::Descriptor& connection;
  std::error_code& error;
};

template <class Backend>
using Operation = std::variant<std::monostate, Wait<typename Backend::Event>*, Sleep*, Yield*,
                               Read<typename Backend::Stream>*, Write<typename Backend::Stream>*,
                               Accept<typename Backend::Listener>*>;

/// One task of a case. Lazy; may co_await other scripts. Owns its frame.
template <class Backend>
class [[nodiscard]] Script {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct Return {  // to the calling script, if any
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(Handle ended) const noexcept {
      ended.promise().first->current = ended.promise().caller;
    }
    void await_resume() const noexcept {}
  };

  struct promise_type {
    promise_type* first = this;  ///< of the outermost script, which holds the two below for all
    Operation<Backend> stopped_at;
    Handle current = Handle::from_promise(*this);
    Handle caller{};

    Script get_return_object() { return Script{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Return final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };

  Script(Script&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  Script& operator=(Script&&) = delete;
  ~Script() {
    if (handle_) handle_.destroy();
  }

  /// Goes on to the next operation; nullptr at the end.
  Operation<Backend>* resume() {
    promise_type& promise = handle_.promise();
    promise.stopped_at = std::monostate{};
    while (!handle_.done()) {
      promise.current.resume();
      if (promise.stopped_at.index() != 0) return &promise.stopped_at;
    }
    return nullptr;
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(Handle calling) noexcept {
    handle_.promise().first = calling.promise().first;
    handle_.promise().caller = calling;
    calling.promise().first->current = handle_;
  }
  void await_resume() const noexcept {}

 private:
  explicit Script(Handle handle) noexcept : handle_{handle} {}
  Handle handle_;
};

}  // namespace contract
