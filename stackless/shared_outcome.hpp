// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <utility>

#include "stackless/context.hpp"
#include "stackless/one_of.hpp"
#include "stackless/outcome.hpp"
#include "stackless/output.hpp"
#include "stackless/waker_cell.hpp"

namespace stackless {

/// An outcome on its way from the thread that brings it about to the task that joins.
template <class T>
class SharedOutcome {
 public:
  /// Whoever brings it about calls one of these three, once.
  template <class Make>
  void complete(Make make) {
    held_.template emplace<value>(make);
    settle(State::settled);
  }
  void fail(std::exception_ptr thrown) noexcept {
    held_.template emplace<error>([&] { return std::move(thrown); });
    settle(State::settled);
  }
  void cancel() noexcept { settle(State::cancelled); }

  /// The joiner, one task at a time; once.
  Poll<Outcome<T>> poll(Context& context) {
    joiner_.refresh(context.waker());
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::open) return pending;
    joiner_.reset();
    if (state == State::cancelled) return Outcome<T>{typename Outcome<T>::Cancelled{}};
    if (held_.template holds<error>()) return Outcome<T>{held_.template get<error>()};
    return Outcome<T>{std::move(held_.template get<value>())};
  }
  /// The joiner, when nobody joins any more: what is there is dropped, else when it comes.
  void leave() noexcept {
    joiner_.reset();
    if (state_.exchange(State::left, std::memory_order_acq_rel) == State::settled) held_.reset();
  }

 private:
  enum class State : unsigned char { open, settled, cancelled, left };
  enum Kind : std::size_t { value, error };

  void settle(State state) noexcept {
    State open = State::open;
    if (state_.compare_exchange_strong(open, state, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      joiner_.wake();
    } else {
      held_.reset();
    }
  }

  std::atomic<State> state_{State::open};
  WakerCell joiner_;
  OneOf<ValueOf<T>, std::exception_ptr> held_;
};

}  // namespace stackless
