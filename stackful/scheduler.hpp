// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "io/budget.hpp"
#include "io/reactor.hpp"
#include "stackful/crew.hpp"
#include "stackful/fiber.hpp"
#include "stackful/inbox.hpp"
#include "stackful/options.hpp"
#include "stackful/stack.hpp"
#include "stackful/thread_state.hpp"

namespace stackful {

class Scheduler;

template <class Result>
class JoinHandle;

/// One worker: runs fibers on the thread that calls run(), one at a time, first come first served.
///
/// There is no dispatcher between two fibers: who parks takes the next from the run queue and jumps
/// straight into it. Only when the queue is empty, or after io::poll_budget switches, it jumps to
/// the worker, the thread's own stack, which looks at the reactor and at the inbox.
///
/// Several make a crew (runtime.hpp). Belongs to its thread; only post() is for all. Nothing on its
/// own path is an atomic read-modify-write.
///
/// Suspension points are park(), yield() and everything built on them: they throw Cancelled in a
/// fiber that has been cancelled.
class Scheduler {
 public:
  /// Throws std::system_error. One worker, whatever the options say; `crew` if there are more: it
  /// is about to join them, as the last.
  explicit Scheduler(const Options& options, Crew* crew = nullptr);
  ~Scheduler();  ///< drops the fibers that have never started
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The scheduler that runs on this thread; nullptr outside of run().
  static Scheduler* current() noexcept { return current_; }

  /// Makes a fiber that runs `body()` once, in its turn. Fails with StackPool::take's error, or
  /// StackError::stack_too_small for a body that leaves no room to run, and then has created
  /// nothing. An exception that escapes the body terminates; who wants it, or a result, or to
  /// cancel the fiber, spawns through join_handle.hpp.
  template <class Callable>
  std::error_code spawn(Callable&& body) {
    return spawn_on(*this, std::forward<Callable>(body));
  }
  /// The fiber is to run on `worker`, of the same crew; its stack is still taken from here.
  template <class Callable>
  std::error_code spawn_on(Scheduler& worker, Callable&& body);

  /// Returns when every fiber, of all the crew, has ended.
  void run();

  /// The fiber that calls; only from a fiber.
  [[nodiscard]] Fiber& running() const noexcept { return *running_; }
  /// Waits until unpark(). Can return early, when an unpark came too late for the wait it was meant
  /// for: callers look again at what they wait for.
  void park();
  /// The same, but no suspension point: for what has to be brought to its end.
  void park_shielded() noexcept;
  /// This thread only; Fiber::unpark() is for all.
  void unpark(Fiber& fiber) noexcept;
  /// Lets all others that are runnable go first.
  void yield();
  /// Counts an I/O call against the fiber's slice: after io::calls_a_slice of them the fiber
  /// lets others go, and the reactor be looked at. One that never has to wait would starve
  /// everybody.
  void use_slice();
  /// A fiber that comes back from a wait has let the others go.
  void begin_slice() noexcept { slice_ = io::calls_a_slice; }

  /// The running fiber, if any, has to do with this scheduler alone from now on: it is not stolen.
  void bind_running() noexcept {
    if (current_ == this) running_->bound_ = true;
  }
  /// For what is at home here and plain memory: throws std::logic_error on another worker of the
  /// crew. Outside of run(), anybody may come.
  void expect_home() const {
    if (current_ != this) [[unlikely]] {
      refuse_other_workers();
    }
  }

  /// Has the message delivered on this scheduler's thread. Any thread.
  void post(Message& message) noexcept;
  /// Delivers at once what has been posted; for owners of messages that are about to end.
  void deliver_posted() noexcept { inbox_.deliver(); }

  [[nodiscard]] io::Reactor& reactor() noexcept { return reactor_; }
  [[nodiscard]] const StackPool& stacks() const noexcept { return stacks_; }
  /// Fibers that have not ended; of all the crew.
  [[nodiscard]] std::size_t live_tasks() const noexcept { return crew_.alive(); }

 private:
  template <class Result>
  friend class JoinHandle;
  using Arrival = boost::context::detail::transfer_t;

  template <class Body>
  static void enter(Arrival arrival) noexcept;  // where a fiber begins
  template <class Body>
  static void drop(void* body) noexcept {
    std::destroy_at(static_cast<Body*>(body));
  }

  void discard(Fiber& fiber) noexcept;  // its stack may be used again
  void start(Fiber& fiber, void (*entry)(Arrival), void (*drop_body)(void*) noexcept) noexcept;
  void arrive(Arrival arrival) noexcept;
  Fiber& next() noexcept;
  void switch_to(Fiber& next) noexcept;
  void throw_if_cancelled() const {
    if ((running_->signals_ & Fiber::unwind) != 0) [[unlikely]] {
      raise_cancelled();
    }
  }
  void settle(Fiber& left) noexcept;
  static Scheduler& current_after_a_switch() noexcept;
  void yield_to_all();
  void park_signalled();
  void set_exceptions_aside(Fiber& fiber) const noexcept;
  void bring_exceptions_back() const noexcept;
  static void raise_cancelled();
  void refuse_other_workers() const;
  void end_slice();
  [[noreturn]] void end() noexcept;

  static constinit inline thread_local Scheduler* current_ = nullptr;

  Fiber* running_ = nullptr;
  RunQueue ready_;
  unsigned budget_ = io::poll_budget;   // switches until the worker's turn
  unsigned slice_ = io::calls_a_slice;  // I/O calls until the running fiber's turn is over
  ThreadState thread_ = ThreadState::of_this_thread();
  CrewMember crew_;
  Fiber worker_{*this, nullptr, Stack{}};  // the thread's own stack, as the fibers see it
  Inbox inbox_;
  std::atomic<unsigned> posting_{0};  // threads inside post(): they must not find us gone
  io::Reactor reactor_;
  StackPool stacks_;
};

template <class Callable>
std::error_code Scheduler::spawn_on(Scheduler& worker, Callable&& body) {
  using Body = std::decay_t<Callable>;
  std::error_code error;
  Fiber* const fiber = Fiber::create<Body>(stacks_, worker, error, std::forward<Callable>(body));
  if (fiber != nullptr) start(*fiber, &enter<Body>, &drop<Body>);
  return error;
}

template <class Body>
void Scheduler::enter(Arrival arrival) noexcept {
  Scheduler& scheduler = *current_;
  scheduler.arrive(arrival);
  Body& body = *static_cast<Body*>(scheduler.running().body());
  static_cast<void>(body());
  std::destroy_at(&body);
  current_after_a_switch().end();
}

inline void Scheduler::arrive(Arrival arrival) noexcept {
  Fiber& previous = *static_cast<Fiber*>(arrival.data);
  previous.context_ = arrival.fctx;
  if (previous.state_ >= Fiber::State::ended) [[unlikely]] {
    settle(previous);
  }
  thread_.set_error_number(running_->saved_.error_number);
  if (running_->signals_ != 0) [[unlikely]] {
    bring_exceptions_back();
  }
}

inline Fiber& Scheduler::next() noexcept {
  if (--budget_ == 0 || ready_.empty()) return worker_;
  return *ready_.pop();
}

// Part of whoever waits, with all that leads here: a CPU predicts a return from the calls before
// it, and after a switch those were another fiber's. Each return on the way out would be
// mispredicted, which costs about as much as the switch.
[[gnu::always_inline]] inline void Scheduler::switch_to(Fiber& next) noexcept {
  Fiber& self = *running_;
  self.saved_.error_number = thread_.error_number();
  if (thread_.has_exceptions()) [[unlikely]] {
    set_exceptions_aside(self);
  }
  running_ = &next;
  arrive(boost::context::detail::jump_fcontext(next.context_, &self));
}

inline void Scheduler::yield() {
  Fiber& self = *running_;
  if (crew_.stealing() && !self.bound_) [[unlikely]] {
    return yield_to_all();
  }
  ready_.push(self);
  Fiber& successor = next();
  if (&successor != &self) switch_to(successor);
  throw_if_cancelled();
}

[[gnu::always_inline]] inline void Scheduler::park() {
  Fiber& self = *running_;
  if (self.signals_ != 0) [[unlikely]] {
    return park_signalled();
  }
  self.state_ = Fiber::State::parked;
  switch_to(next());
  throw_if_cancelled();
}

inline void Scheduler::use_slice() {
  if (--slice_ == 0) end_slice();
}

inline void Scheduler::unpark(Fiber& fiber) noexcept {
  // Where it goes on is known only from its control block, one cache miss later; but a fiber that
  // waits in few calls does so right below that.
  const auto* const block = reinterpret_cast<const std::byte*>(&fiber);
  __builtin_prefetch(block - 64);
  __builtin_prefetch(block - 128);
  if (fiber.state_ == Fiber::State::parked) [[likely]] {
    fiber.state_ = Fiber::State::runnable;
    ready_.push(fiber);
  } else {
    fiber.signals_ |= Fiber::permit;
  }
}

}  // namespace stackful
