// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <system_error>
#include <utility>
#include <variant>

#include "stackless/backend.hpp"
#include "tests/contract/script.hpp"

namespace contract {

/// Plays a script as a hand-written state machine: its state is the future of the operation at
/// which the script has stopped.
class ScriptFuture : stackless::Immovable {
 public:
  using Output = void;

  explicit ScriptFuture(Script<stackless::Backend> script) noexcept : script_{std::move(script)} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    while (true) {
      if (!std::visit([&](auto& state) { return step(state, context); }, state_)) {
        return stackless::pending;
      }
      operation_ = script_.resume();
      if (operation_ == nullptr) return stackless::ready;
      std::visit([this](auto operation) { begin(operation); }, *operation_);
    }
  }

 private:
  using Event = stackless::Event;
  using Stream = stackless::Stream;
  using Listener = stackless::Listener;

  void begin(std::monostate) {}
  void begin(Wait<Event>* wait) { state_.emplace<Event::Wait>(wait->event); }
  void begin(Sleep* sleep) { state_.emplace<stackless::Sleep>(sleep->deadline); }
  void begin(Yield*) { state_.emplace<stackless::Yield>(); }
  void begin(Read<Stream>* read) { state_.emplace<Stream::Read>(read->stream, read->into); }
  void begin(Write<Stream>* write) { state_.emplace<Stream::Write>(write->stream, write->from); }
  void begin(Accept<Listener>* accept) {
    state_.emplace<Listener::Accept>(accept->listener, accept->error);
  }

  bool step(std::monostate, stackless::Context&) { return true; }
  bool step(auto& future, stackless::Context& context) { return keep(future.poll(context)); }

  static bool keep(stackless::Poll<void> done) { return done.is_ready(); }
  bool keep(stackless::Poll<io::Transfer> moved) {
    if (moved.is_pending()) return false;
    if (auto* const read = std::get_if<Read<Stream>*>(operation_)) {
      (*read)->result = moved.take();
    } else {
      std::get<Write<Stream>*>(*operation_)->result = moved.take();
    }
    return true;
  }
  bool keep(stackless::Poll<io::Descriptor> accepted) {
    if (accepted.is_pending()) return false;
    std::get<Accept<Listener>*>(*operation_)->connection = accepted.take();
    return true;
  }

  Script<stackless::Backend> script_;
  Operation<stackless::Backend>* operation_ = nullptr;
  std::variant<std::monostate, Event::Wait, stackless::Sleep, stackless::Yield, Stream::Read,
               Stream::Write, Listener::Accept>
      state_;
};

/// Plays a script as a coroutine that awaits each operation.
inline stackless::Async<void> play(Script<stackless::Backend> script) {
  using Backend = stackless::Backend;
  while (auto* const operation = script.resume()) {
    if (auto* const wait = std::get_if<Wait<Backend::Event>*>(operation)) {
      co_await (*wait)->event.wait();
    } else if (auto* const sleep = std::get_if<Sleep*>(operation)) {
      co_await Backend::sleep_until((*sleep)->deadline);
    } else if (std::holds_alternative<Yield*>(*operation)) {
      co_await Backend::yield();
    } else if (auto* const read = std::get_if<Read<Backend::Stream>*>(operation)) {
      (*read)->result = co_await (*read)->stream.read_some((*read)->into);
    } else if (auto* const write = std::get_if<Write<Backend::Stream>*>(operation)) {
      (*write)->result = co_await (*write)->stream.write_some((*write)->from);
    } else if (auto* const accept = std::get_if<Accept<Backend::Listener>*>(operation)) {
      (*accept)->connection = co_await (*accept)->listener.accept((*accept)->error);
    }
  }
}

struct InFutures {
  using Backend = stackless::Backend;

  static std::error_code spawn(Backend::Runtime& runtime, Script<Backend> script) {
    return runtime.spawn([&] { return ScriptFuture{std::move(script)}; });
  }
};

struct InCoroutines {
  using Backend = stackless::Backend;

  static std::error_code spawn(Backend::Runtime& runtime, Script<Backend> script) {
    return runtime.spawn([&] { return play(std::move(script)); });
  }
};

}  // namespace contract
