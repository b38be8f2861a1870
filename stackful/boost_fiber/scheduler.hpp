// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/fiber/scheduler.hpp>
#include <cstddef>
#include <system_error>
#include <type_traits>
#include <utility>

#include "io/reactor.hpp"
#include "stackful/boost_fiber/inbox.hpp"
#include "stackful/boost_fiber/task.hpp"
#include "stackful/options.hpp"
#include "stackful/stack.hpp"

namespace stackful::boost_fiber {

/// Runs tasks as Boost.Fiber's fibers on the thread that calls run().
///
/// Boost.Fiber keeps one scheduler a thread, for the thread's whole life. This class uses it only
/// within run(): that installs an algorithm which waits in our reactor, and puts Boost.Fiber's own
/// back at the end. So any number of these can follow each other on a thread, and nothing of ours
/// is called when the thread ends.
class Scheduler {
 public:
  /// Throws std::system_error when the reactor cannot be had or the options are not supported.
  explicit Scheduler(Options options = {});
  ~Scheduler();  ///< destroys the bodies of tasks that were never run
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Makes a task of `body`; it runs nothing before run(). The owner before run(), or any task.
  /// Fails with the limit's error, having created nothing, when there is no stack.
  template <class Body>
  std::error_code spawn(Body&& body);

  /// Returns when every task has ended and its stack is back in the pool. Not from within a run().
  void run();

  /// The scheduler whose run() the calling thread is in, or none.
  static Scheduler* current() noexcept { return current_; }

  [[nodiscard]] std::size_t live_tasks() const noexcept { return live_; }
  io::Reactor& reactor() noexcept { return reactor_; }
  Inbox& inbox() noexcept { return inbox_; }
  /// Waits in the reactor, then takes in what other threads have set.
  void turn(io::TimePoint deadline) noexcept;

 private:
  void adopt(boost::fibers::context& task) noexcept;
  void start(boost::fibers::context& task) noexcept;
  void task_ended() noexcept;

  static thread_local Scheduler* current_;

  io::Reactor reactor_;
  Inbox inbox_{reactor_};
  StackPool stacks_;
  /// Kept until the end: another thread may still be about to notify it when run() returns.
  boost::fibers::algo::algorithm::ptr_t algorithm_;
  boost::fibers::scheduler::ready_queue_type not_started_{};
  boost::fibers::context* main_ = nullptr;  ///< the context of run(), while it waits for the tasks
  std::size_t live_ = 0;
  bool abandoned_ = false;
};

template <class Body>
std::error_code Scheduler::spawn(Body&& body) {
  auto task = [this, own = std::decay_t<Body>(std::forward<Body>(body))]() mutable noexcept {
    {
      auto running = std::move(own);  // ends, with all it holds, before the task counts as ended
      if (!abandoned_) running();
    }
    task_ended();
  };
  std::error_code error;
  const Stack stack = stacks_.take(error);
  if (!error) adopt(*make_task(StackLoan{stacks_, stack}, std::move(task)));
  return error;
}

}  // namespace stackful::boost_fiber
