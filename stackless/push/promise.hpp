// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/outcome.hpp"
#include "stackless/push/counted.hpp"
#include "stackless/push/loop.hpp"

namespace stackless::push {

/// What a promise and whoever settles it share: one heap object with two references at least.
template <class T>
class State : public Counted {
 public:
  State() = default;

  /// Once.
  void settle(Outcome<T> outcome) noexcept {
    outcome_.emplace(std::move(outcome));
    if (continuation_ != nullptr) Loop::current().queue(*std::exchange(continuation_, nullptr));
  }
  /// The one continuation: queued when the outcome is there.
  void continue_with(Job& continuation) noexcept {
    if (outcome_) return Loop::current().queue(continuation);
    continuation_ = &continuation;
  }
  [[nodiscard]] Outcome<T> take() {
    Outcome<T> outcome = std::move(*outcome_);
    outcome_.reset();
    return outcome;
  }

 protected:
  /// An error that nobody has seen is not passed over in silence.
  ~State() override {
    if (outcome_ && outcome_->error()) std::terminate();
  }

 private:
  std::optional<Outcome<T>> outcome_;
  Job* continuation_ = nullptr;
};

/// What a continuation waits for, when it is an output that is there already,
template <class T>
class Here {
 public:
  using Output = T;

  explicit Here(ValueOf<T> output) noexcept : output_{std::move(output)} {}

  void continue_with(Job& continuation) noexcept { Loop::current().queue(continuation); }
  [[nodiscard]] Outcome<T> take() { return Outcome<T>{std::move(output_)}; }

 private:
  ValueOf<T> output_;
};

/// and when it is still to come.
template <class T>
class Later {
 public:
  using Output = T;

  explicit Later(Ref<State<T>> state) noexcept : state_{std::move(state)} {}

  void continue_with(Job& continuation) noexcept { state_->continue_with(continuation); }
  [[nodiscard]] Outcome<T> take() { return std::exchange(state_, {})->take(); }

 private:
  Ref<State<T>> state_;
};

template <class T>
class Promise;

template <class R>
struct Flat {
  using Output = R;
};
template <class T>
struct Flat<Promise<T>> {
  using Output = T;
};
/// What a continuation's result comes to: a promise of a promise is a promise.
template <class R>
using FlatOutput = typename Flat<R>::Output;

/// The outcome of something that is already under way. Dropped, it does not stop it: for that there
/// is a cancellation token.
template <class T = void>
class [[nodiscard]] Promise {
 public:
  using Output = T;

  explicit Promise(Ref<State<T>> state) noexcept : state_{std::move(state)} {}
  /// Of an output that is there already: no state is needed, nothing is allocated.
  explicit Promise(ValueOf<T> output) noexcept : here_{std::move(output)} {}

  /// Calls `next` with the output, once it is there, from the queue. An error or a cancellation
  /// goes past it. One allocation: the continuation and the state of what it comes to.
  template <class Next>
  auto then(Next next) &&;
  /// Calls `last` when all is over, however it ended, and passes the outcome on.
  template <class Last>
  Promise<T> finally(Last last) &&;
  /// Calls `see` with the outcome.
  template <class See>
  void when_settled(See see) &&;

 private:
  template <class, class>
  friend class ThenState;
  /// What `use` makes of a Here or a Later, whichever this is.
  template <class Use>
  auto with_awaited(Use use) {
    return here_ ? use(Here<T>{std::move(*here_)}) : use(Later<T>{std::move(state_)});
  }

  Ref<State<T>> state_;  // or
  std::optional<ValueOf<T>> here_;
};

}  // namespace stackless::push

#include "stackless/push/continuation.hpp"
