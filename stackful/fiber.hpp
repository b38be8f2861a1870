// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <new>
#include <system_error>
#include <utility>

#include "io/waiter.hpp"
#include "stackful/inbox.hpp"
#include "stackful/stack.hpp"
#include "stackful/thread_state.hpp"

namespace stackful {

class Scheduler;

/// What a cancelled fiber's stack is unwound with: thrown at the suspension point where the fiber
/// is, or at the next it comes to. No std::exception, so that a handler of errors lets it pass; a
/// fiber that catches it all the same gets it again at its next suspension point.
struct Cancelled {};

/// A task with a private stack. The control block lives at the top of that stack, its body right
/// above it: a fiber allocates nothing else, and all of it shares a page with the frames that it is
/// parked in.
///
///     lower addresses  | ....... <- frames | Fiber | body | top
///
/// As a Waiter its notification makes it runnable; like all of it, on its scheduler's thread only.
/// `unpark` alone may be called by any thread.
class alignas(64) Fiber : public io::Waiter {
 public:
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes it runnable; if it is not parked, its next park returns at once. Any thread that knows
  /// the fiber to be alive until the call returns.
  void unpark() noexcept;

  /// Unwinds the fiber's stack with Cancelled, its destructors run. It only asks: the fiber unwinds
  /// in its turn. While an exception is already on its way suspension points keep their meaning, so
  /// destructors may wait. Any thread, under the same condition as unpark().
  void cancel() noexcept;
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] const Stack& stack() const noexcept { return stack_; }
  [[nodiscard]] Scheduler& scheduler() const noexcept { return *scheduler_; }

 private:
  friend class RunQueue;
  friend class Scheduler;
  template <class Result>
  friend class JoinHandle;
  using Context = boost::context::detail::fcontext_t;
  enum class State : unsigned char {
    runnable,
    parked,
    ended,
    yielded,  // runnable for all, once it has left its stack
  };
  /// What is out of the ordinary, all in one byte, so that a switch looks once.
  enum Signal : unsigned char {
    permit = 1,      // unparked while not parked
    unwind = 2,      // cancelled
    exceptions = 4,  // switched inside a handler or while its stack unwinds: saved_ has them
  };
  struct UnparkMessage : Message {
    explicit UnparkMessage(Fiber& whom) noexcept;
    Fiber& fiber;
  };

  Fiber(Scheduler& scheduler, StackPool* pool, Stack stack) noexcept;
  ~Fiber() = default;

  /// Makes one, and its `Body(arguments...)`, at the top of a stack; see Scheduler::spawn.
  template <class Body, class... Arguments>
  static Fiber* create(StackPool& pool, Scheduler& worker, std::error_code& error,
                       Arguments&&... arguments);
  static Fiber* reserve(StackPool& pool, Scheduler& worker, std::size_t body_bytes,
                        std::error_code& error);

  [[nodiscard]] void* body() noexcept { return this + 1; }

  // One cache line, with the Waiter: all that a switch touches.
  Fiber* next_ = nullptr;
  Context context_ = nullptr;  // where it goes on; stored by whoever runs after it
  SavedThreadState saved_;
  State state_ = State::runnable;
  unsigned char signals_ = 0;
  bool bound_ = false;     // stays with its worker, even if others may be stolen
  bool joinable_ = false;  // ended, it stays until its handle lets go
  std::atomic<bool> cancelled_{false};
  Scheduler* scheduler_;

  Stack stack_;
  StackPool* pool_;  // where the stack came from: a worker's that dealt the fiber to another
  void (*drop_)(void* body) noexcept = nullptr;  // destroys the body of one that never started
  UnparkMessage unpark_message_{*this};
};

template <class Body, class... Arguments>
Fiber* Fiber::create(StackPool& pool, Scheduler& worker, std::error_code& error,
                     Arguments&&... arguments) {
  static_assert(alignof(Body) <= alignof(Fiber));
  Fiber* const fiber = reserve(pool, worker, sizeof(Body), error);
  if (fiber == nullptr) return nullptr;
  try {
    ::new (fiber->body()) Body(std::forward<Arguments>(arguments)...);
  } catch (...) {
    pool.give_back(fiber->stack_);
    throw;
  }
  return fiber;
}

/// First in, first out; linked through the fibers.
class RunQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }

  void push(Fiber& fiber) noexcept {
    fiber.next_ = nullptr;
    (head_ == nullptr ? head_ : tail_->next_) = &fiber;
    tail_ = &fiber;
  }

  /// nullptr when empty.
  Fiber* pop() noexcept {
    Fiber* const first = head_;
    if (first != nullptr) head_ = first->next_;
    return first;
  }

 private:
  Fiber* head_ = nullptr;
  Fiber* tail_ = nullptr;  // means something only when there is a head
};

}  // namespace stackful
