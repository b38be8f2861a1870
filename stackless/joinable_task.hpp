// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <utility>

#include "stackless/join_handle.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"
#include "stackless/task.hpp"

namespace stackless {

/// A task whose outcome somebody may ask for. The output takes the future's place.
template <Future F>
class JoinableTask : public Task {
 public:
  using Output = OutputOf<F>;

  template <class Make>
  JoinableTask(Executor& executor, Make& make) : Task{table<Make>, executor}, states_{make} {}

  /// The one handle; to be made before the task is polled.
  JoinHandle<Output> handle() noexcept {
    TaskWaker::clone(*this);
    has_handle_.store(true, std::memory_order_relaxed);
    return {*this, joining};
  }

 private:
  enum State : std::size_t { future, output, error };

  static JoinableTask& self(Wakeable& task) noexcept { return static_cast<JoinableTask&>(task); }

  static bool poll(Task& task) noexcept {
    const BorrowedWaker waker{task};
    Context context{waker.waker()};
    auto& states = self(task).states_;
    try {
      Poll<Output> polled = states.template get<future>().poll(context);
      if (polled.is_pending()) return false;
      states.template emplace<output>([&] { return take_value(polled); });
    } catch (...) {
      states.template emplace<error>([] { return std::current_exception(); });
    }
    return true;
  }
  /// At the end of the future's life, however it came. An outcome waits for the handle.
  static void drop_future(Task& task) noexcept {
    JoinableTask& ended = self(task);
    const bool is_awaited = ended.has_handle_.load(std::memory_order_relaxed);
    if (ended.states_.template holds<future>() || !is_awaited) ended.states_.reset();
    ended.joiner_.wake();
  }
  static void free(Task& task) noexcept { delete &self(task); }

  static Poll<Outcome<Output>> poll_outcome(Wakeable& task, Context& context) {
    JoinableTask& joined = self(task);
    if (!joined.owned_here()) fault("a task is joined on its executor's thread only");
    auto& states = joined.states_;
    if (states.template holds<future>()) {
      joined.joiner_.clone_from(context.waker());
      return pending;
    }
    if (states.empty()) return Outcome<Output>{typename Outcome<Output>::Cancelled{}};
    if (states.template holds<error>()) return Outcome<Output>{states.template get<error>()};
    return Outcome<Output>{std::move(states.template get<output>())};
  }
  static void abort(Wakeable& task) noexcept { TaskWaker::cancel(self(task)); }
  /// Elsewhere than on the owner's thread an outcome that is there stays until the task's memory
  /// goes.
  static void detach(Wakeable& task) noexcept {
    JoinableTask& left = self(task);
    left.has_handle_.store(false, std::memory_order_relaxed);  // before its reference goes
    if (!left.owned_here()) return;
    left.joiner_.reset();
    if (!left.states_.template holds<future>()) left.states_.reset();
  }

  template <class Make>
  static constexpr TaskOperations table{
      {{&TaskWaker::clone, &TaskWaker::wake, &TaskWaker::wake_by_ref, &TaskWaker::drop},
       &TaskWaker::deliver},
      &JoinableTask::poll,
      &JoinableTask::drop_future,
      &JoinableTask::free,
      task_name<F, Make>()};
  static constexpr JoinOperations<Output> joining{&poll_outcome, &abort, &detach};

  OneOf<F, ValueOf<Output>, std::exception_ptr> states_;
  Waker joiner_;
};

}  // namespace stackless
