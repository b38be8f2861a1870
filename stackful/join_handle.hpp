// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "stackful/event.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

/// What a joined fiber leaves: a result, an exception (Cancelled among them), or nothing yet.
template <class Result>
struct JoinState {
  struct Nothing {};
  using Value = std::conditional_t<std::is_void_v<Result>, Nothing, Result>;

  explicit JoinState(Scheduler& scheduler) noexcept : done{scheduler} {}

  std::variant<std::monostate, Value, std::exception_ptr> outcome;
  Event done;
  bool has_ended = false;  // for who joins after run(), when nobody can wait
};

/// The one who may wait for a fiber, and cancel it. It lives on the fiber's own stack, which is not
/// used again before the handle is gone; so nothing is allocated. Belongs to the fiber's scheduler:
/// used by its fibers, or after run() has returned; ends before the scheduler does. On another
/// worker of a runtime to join and to detach throw std::logic_error, and the destructor terminates.
template <class Result>
class JoinHandle {
 public:
  JoinHandle() = default;  ///< joins nothing
  JoinHandle(JoinHandle&& other) noexcept : fiber_{std::exchange(other.fiber_, nullptr)} {}
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    std::swap(fiber_, other.fiber_);
    return *this;
  }
  /// Detaches: the fiber goes on, its result is dropped; an exception that it lets escape
  /// terminates.
  ~JoinHandle() {
    if (fiber_ != nullptr) let_go();
  }

  [[nodiscard]] bool joinable() const noexcept { return fiber_ != nullptr; }

  /// Parks the calling fiber until this one has ended; returns its result or throws its exception:
  /// Cancelled if it was unwound. Once.
  Result join() {
    fiber_->scheduler().expect_home();
    while (!state().has_ended) state().done.wait();
    auto outcome = std::move(state().outcome);
    let_go();
    if (auto* failure = std::get_if<std::exception_ptr>(&outcome)) std::rethrow_exception(*failure);
    if constexpr (!std::is_void_v<Result>) return std::get<1>(std::move(outcome));
  }

  /// See Fiber::cancel(). The fiber is still to be joined, or detached.
  void cancel() noexcept { fiber_->cancel(); }

  template <class Callable>
  static JoinHandle spawn(Scheduler& scheduler, Callable&& body, std::error_code& error);

 private:
  template <class Body>
  struct Joined : JoinState<Result> {
    template <class Callable>
    Joined(Scheduler& scheduler, Callable&& callable)
        : JoinState<Result>{scheduler}, body{std::forward<Callable>(callable)} {}

    static void enter(Scheduler::Arrival arrival) noexcept;
    void run(const Fiber& fiber);

    std::optional<Body> body;
  };

  explicit JoinHandle(Fiber& fiber) noexcept : fiber_{&fiber} {}

  JoinState<Result>& state() noexcept { return *static_cast<JoinState<Result>*>(fiber_->body()); }
  void let_go() noexcept;

  Fiber* fiber_ = nullptr;
};

/// Scheduler::spawn with a handle. An empty one, and an `error`, when spawn would fail.
template <class Callable, class Result = std::invoke_result_t<std::decay_t<Callable>&>>
JoinHandle<Result> spawn_joinable(Scheduler& scheduler, Callable&& body, std::error_code& error) {
  return JoinHandle<Result>::spawn(scheduler, std::forward<Callable>(body), error);
}

template <class Result>
template <class Callable>
JoinHandle<Result> JoinHandle<Result>::spawn(Scheduler& scheduler, Callable&& body,
                                             std::error_code& error) {
  using Made = Joined<std::decay_t<Callable>>;
  Fiber* const fiber = Fiber::create<Made>(scheduler.stacks_, scheduler, error, scheduler,
                                           std::forward<Callable>(body));
  if (fiber == nullptr) return {};
  fiber->joinable_ = true;
  fiber->bound_ = true;
  scheduler.start(*fiber, &Made::enter, &Scheduler::drop<Made>);
  return JoinHandle{*fiber};
}

template <class Result>
void JoinHandle<Result>::let_go() noexcept {
  Fiber& fiber = *std::exchange(fiber_, nullptr);
  fiber.scheduler().expect_home();  // ends the program elsewhere, and says why
  fiber.joinable_ = false;
  if (fiber.state_ != Fiber::State::ended) return;
  std::destroy_at(static_cast<JoinState<Result>*>(fiber.body()));
  fiber.scheduler().discard(fiber);
}

template <class Result>
template <class Body>
void JoinHandle<Result>::Joined<Body>::enter(Scheduler::Arrival arrival) noexcept {
  Scheduler& scheduler = *Scheduler::current();
  scheduler.arrive(arrival);
  Fiber& fiber = scheduler.running();
  auto& self = *static_cast<Joined*>(fiber.body());
  self.run(fiber);
  self.body.reset();
  if (fiber.joinable_) {
    self.has_ended = true;
    self.done.set();
  } else {
    std::destroy_at(&self);
  }
  scheduler.end();
}

template <class Result>
template <class Body>
void JoinHandle<Result>::Joined<Body>::run(const Fiber& fiber) {
  try {
    if (fiber.cancelled()) throw Cancelled{};
    if constexpr (std::is_void_v<Result>) {
      (*body)();
      this->outcome.template emplace<1>();
    } else {
      this->outcome.template emplace<1>((*body)());
    }
  } catch (const Cancelled&) {
    this->outcome = std::current_exception();
  } catch (...) {
    if (!fiber.joinable_) throw;  // nobody to hear of it: ends the program
    this->outcome = std::current_exception();
  }
}

}  // namespace stackful
