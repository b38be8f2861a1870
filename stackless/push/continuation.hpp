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

/// A continuation, and the state of what it comes to. `Before` is a Here or a Later. When the
/// continuation returns a promise, the same object waits for that as well.
template <class Before, class Next>
class ThenState final : public State<FlatOutput<NextResult<Next, typename Before::Output>>>,
                        public Job {
  using Result = NextResult<Next, typename Before::Output>;

 public:
  using Output = FlatOutput<Result>;

  ThenState(Before before, Next next) : before_{std::move(before)}, next_{std::move(next)} {
    before_.continue_with(*this);
  }

  void run() noexcept override {
    const Ref<ThenState> self{this};  // the queue's
    if constexpr (flattens) {
      if (inner_) return this->settle(std::exchange(inner_, {})->take());
    }
    advance();
  }

 private:
  static constexpr bool flattens = !std::is_same_v<Result, Output>;

  void advance() noexcept {
    auto outcome = before_.take();
    if (!outcome.has_value()) return this->settle(pass_on<Output>(outcome));
    try {
      if constexpr (flattens) {
        wait_for(call_with(next_, outcome));
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
  void wait_for(Promise<Output> inner) noexcept {
    if (inner.here_) return this->settle(Outcome<Output>{std::move(*inner.here_)});
    inner_ = std::move(inner.state_);
    this->add_reference();
    inner_->continue_with(*this);
  }

  struct Nothing {};
  using Inner = std::conditional_t<flattens, Ref<State<Output>>, Nothing>;

  Before before_;
  [[no_unique_address]] Inner inner_;
  Next next_;
};

/// Calls at the end, however it came, and passes the outcome on.
template <class Before, class Last>
class FinallyState final : public State<typename Before::Output>, public Job {
 public:
  using Output = typename Before::Output;

  FinallyState(Before before, Last last) : before_{std::move(before)}, last_{std::move(last)} {
    before_.continue_with(*this);
  }

  void run() noexcept override {
    const Ref<FinallyState> self{this};
    last_();
    this->settle(before_.take());
  }

 private:
  Before before_;
  Last last_;
};

/// The end of a chain.
template <class Before, class See>
class SeeJob final : public Job {
 public:
  SeeJob(Before before, See see) : before_{std::move(before)}, see_{std::move(see)} {
    before_.continue_with(*this);
  }

  void run() noexcept override {
    see_(before_.take());
    delete this;
  }

 private:
  ~SeeJob() override = default;
  Before before_;
  See see_;
};

/// A promise of a new state that is a job as well: one reference for the promise, one for the
/// queue.
template <class S, class Before, class Function>
Promise<typename S::Output> promise_of(Before before, Function function) {
  Ref<S> state{new S{std::move(before), std::move(function)}};
  state->add_reference();
  return Promise<typename S::Output>{std::move(state)};
}

template <class T>
template <class Next>
auto Promise<T>::then(Next next) && {
  return with_awaited([&]<class Before>(Before before) {
    return promise_of<ThenState<Before, Next>>(std::move(before), std::move(next));
  });
}

template <class T>
template <class Last>
Promise<T> Promise<T>::finally(Last last) && {
  return with_awaited([&]<class Before>(Before before) {
    return promise_of<FinallyState<Before, Last>>(std::move(before), std::move(last));
  });
}

template <class T>
template <class See>
void Promise<T>::when_settled(See see) && {
  with_awaited([&]<class Before>(Before before) {
    new SeeJob<Before, See>{std::move(before), std::move(see)};
  });
}

}  // namespace stackless::push
