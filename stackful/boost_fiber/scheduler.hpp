// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cstddef>
#include <system_error>
#include <type_traits>
#include <utility>

#include "io/budget.hpp"
#include "io/reactor.hpp"
#include "stackful/boost_fiber/task.hpp"
#include "stackful/inbox.hpp"
#include "stackful/options.hpp"
#include "stackful/stack.hpp"
#include "stackful/thread_state.hpp"

namespace stackful::boost_fiber {

/// One worker: runs tasks as Boost.Fiber's fibers on the thread that calls run().
///
/// Boost.Fiber keeps one scheduler a thread, from the first use to the thread's end. This class is
/// in charge of it only within run(): it installs an algorithm that waits in our reactor, and puts
/// Boost.Fiber's own back at the end. So any number of these can follow each other on a thread, and
/// nothing of ours is called when the thread ends.
///
/// Belongs to that thread; only post() is for all.
class Scheduler {
 public:
  explicit Scheduler(const Options& options = {});  ///< throws std::system_error
  ~Scheduler();                                     ///< drops the bodies that have never started
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The scheduler that runs on this thread; nullptr outside of run().
  static Scheduler* current() noexcept { return current_; }

  /// Makes a fiber that runs `body()` once, in its turn. The owner before run(), or any task. Fails
  /// with StackPool::take's error, or StackError::stack_too_small for a body that leaves no room to
  /// run, and then has created nothing. An exception that escapes the body terminates.
  template <class Callable>
  std::error_code spawn(Callable&& body);

  /// Returns when every task has ended. Not from within another run() on this thread.
  void run();

  /// Suspends the calling fiber until it is made runnable.
  void suspend(boost::fibers::context& self) noexcept;
  /// Lets all others that are runnable go first.
  void yield() noexcept;
  /// For the algorithm: waits in the reactor, or has it look if that is due; then takes in what
  /// other threads have posted.
  void turn(io::TimePoint deadline) noexcept;
  void look() noexcept;

  /// Counts an I/O call against the running fiber's slice: after io::calls_a_slice of them it
  /// lets others go, and the reactor be looked at. One that never has to wait would starve
  /// everybody.
  void use_slice() noexcept {
    if (--slice_ == 0) end_slice();
  }
  /// For the algorithm: another fiber's turn begins.
  void begin_slice() noexcept { slice_ = io::calls_a_slice; }

  /// Has the message delivered on this scheduler's thread. Any thread.
  void post(Message& message) noexcept;
  /// Delivers at once what has been posted; for owners of messages that are about to end.
  void deliver_posted() noexcept { inbox_.deliver(); }

  [[nodiscard]] io::Reactor& reactor() noexcept { return reactor_; }
  [[nodiscard]] const StackPool& stacks() const noexcept { return stacks_; }
  /// Tasks that have not ended.
  [[nodiscard]] std::size_t live_tasks() const noexcept { return alive_; }

 private:
  void adopt(boost::fibers::context& task) noexcept;
  static void start(boost::fibers::context& task) noexcept;
  void task_ended() noexcept;
  void end_slice() noexcept;

  static constinit inline thread_local Scheduler* current_ = nullptr;

  Inbox inbox_;
  std::atomic<unsigned> posting_{0};  ///< threads inside post(): they must not find us gone
  io::Reactor reactor_;
  StackPool stacks_;
  ThreadState thread_ = ThreadState::of_this_thread();
  /// Owned until the end: another thread can still be about to notify it when run() returns.
  boost::fibers::algo::algorithm::ptr_t algorithm_;
  boost::fibers::scheduler::ready_queue_type not_started_{};
  boost::fibers::context* main_ = nullptr;  ///< that of run(), which waits for the last task
  std::size_t alive_ = 0;
  unsigned slice_ = io::calls_a_slice;
  bool dropping_ = false;
};

/// Queues a suspended fiber on its own thread, which is the caller's. Straight to its scheduler:
/// Boost.Fiber's `context::schedule` forbids a fiber to queue itself while it is about to suspend.
inline void make_runnable(boost::fibers::context& fiber) noexcept {
  fiber.get_scheduler()->schedule(&fiber);
}

template <class Callable>
std::error_code Scheduler::spawn(Callable&& body) {
  using Body = std::decay_t<Callable>;
  auto task = [this, waiting = Body(std::forward<Callable>(body))]() mutable noexcept {
    thread_.restore({});  // whoever ran before may have switched inside a handler
    {
      Body own = std::move(waiting);  // is destroyed before the task counts as ended
      if (!dropping_) static_cast<void>(own());
    }
    task_ended();
  };
  std::error_code error;
  const Stack stack = stacks_.take(error);
  if (error) return error;
  if (stack.bytes() < least_stack_bytes<decltype(task)>()) {
    stacks_.give_back(stack);
    return StackError::stack_too_small;
  }
  adopt(*make_task(StackLoan{stacks_, stack}, std::move(task)));
  return {};
}

}  // namespace stackful::boost_fiber
