// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "stackless/output.hpp"
#include "stackless/push/promise.hpp"

namespace stackless::push {

template <class Next, class T>
using NextResult = InvokeWithResult<Next, T>;

/// Calls with the output of an outcome that has one.
template <class Function, class T>
decltype(auto) call_with(Function& function, Outcome<T>& outcome) {
  if constexpr (std::is_void_v<T>) {
    return function();
  } else {
    return function(outcome.take());
  }
}

/// The same end with another type of output.
template <class To, class From>
Outcome<To> pass_on(const Outcome<From>& outcome) {
  if (outcome.was_cancelled()) return Outcome<To>{typename Outcome<To>::Cancelled{}};
  return Outcome<To>{outcome.error()};
}

/// A continuation, and the state of what it comes to. When the continuation returns a promise, the
/// same object waits for that as well.
template <class T, class Next>
class ThenState final : public State<FlatOutput<NextResult<Next, T>>>, public Job {
  using Result = NextResult<Next, T>;

 public:
  using Output = FlatOutput<Result>;

  ThenState(Ref<State<T>> before, Next next) : before_{std::move(before)}, next_{std::move(next)} {}

  void run() noexcept override {
    const Ref<ThenState> self{this};  // the queue's
    if (before_) {
      advance();
    } else {
      finish();
    }
  }

 private:
  void advance() noexcept {
    Outcome<T> outcome = before_->take();
    before_ = {};
    if (!outcome.has_value()) return this->settle(pass_on<Output>(outcome));
    try {
      if constexpr (!std::is_same_v<Result, Output>) {
        inner_ = call_with(next_, outcome).state_;
        this->add_reference();
        inner_->continue_with(*this);
      } else if constexpr (std::is_void_v<Output>) {
        call_with(next_, outcome);
        this->settle(Outcome<void>{Unit{}});
      } else {
        this->settle(Outcome<Output>{call_with(next_, outcome)});
      }
    } catch (...) {
      this->settle(Outcome<Output>{std::current_exception()});
    }
  }
  void finish() noexcept {
    if constexpr (!std::is_same_v<Result, Output>) {
      this->settle(inner_->take());
      inner_ = {};
    }
  }

  struct Nothing {};
  using Inner = std::conditional_t<std::is_same_v<Result, Output>, Nothing, Ref<State<Output>>>;

  Ref<State<T>> before_;
  [[no_unique_address]] Inner inner_;
  Next next_;
};

/// Calls at the end, however it came, and passes the outcome on.
template <class T, class Last>
class FinallyState final : public State<T>, public Job {
 public:
  using Output = T;

  FinallyState(Ref<State<T>> before, Last last)
      : before_{std::move(before)}, last_{std::move(last)} {}

  void run() noexcept override {
    const Ref<FinallyState> self{this};
    last_();
    this->settle(std::exchange(before_, {})->take());
  }

 private:
  Ref<State<T>> before_;
  Last last_;
};

/// The end of a chain.
template <class T, class See>
class SeeJob final : public Job {
 public:
  SeeJob(Ref<State<T>> before, See see) : before_{std::move(before)}, see_{std::move(see)} {}

  void run() noexcept override {
    see_(before_->take());
    delete this;
  }

 private:
  ~SeeJob() override = default;
  Ref<State<T>> before_;
  See see_;
};

/// Makes a continuation of `before` that is a state as well: one reference for the promise, one for
/// the queue.
template <class S, class T, class Function>
Promise<typename S::Output> continue_as(Ref<State<T>> before, Function function) {
  State<T>& awaited = *before;
  Ref<S> state{new S{std::move(before), std::move(function)}};
  state->add_reference();
  awaited.continue_with(*state);
  return Promise<typename S::Output>{std::move(state)};
}

template <class T>
template <class Next>
auto Promise<T>::then(Next next) && {
  return continue_as<ThenState<T, Next>>(std::move(state_), std::move(next));
}

template <class T>
template <class Last>
Promise<T> Promise<T>::finally(Last last) && {
  return continue_as<FinallyState<T, Last>>(std::move(state_), std::move(last));
}

template <class T>
template <class See>
void Promise<T>::when_settled(See see) && {
  State<T>& awaited = *state_;
  awaited.continue_with(*new SeeJob<T, See>{std::move(state_), std::move(see)});
}

}  // namespace stackless::push
