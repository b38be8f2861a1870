// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "stackless/future.hpp"
#include "stackless/join_handle.hpp"
#include "stackless/list_link.hpp"
#include "stackless/one_of.hpp"
#include "stackless/output.hpp"
#include "stackless/shared_outcome.hpp"
#include "stackless/shared_task_state.hpp"
#include "stackless/task.hpp"

namespace stackless {

class MobileTask;
class ParallelExecutor;

struct MobileOperations : PostedOperations {
  bool (*poll)(MobileTask&) noexcept;         ///< true: ready
  void (*drop_future)(MobileTask&) noexcept;  ///< when it was cancelled, else after it was ready
  void (*free)(MobileTask&) noexcept;
  TaskName name;
};

/// The header of a task that any worker of a ParallelExecutor may poll, one at a time.
class MobileTask : public Posted, public ListLink {
 public:
  MobileTask(const MobileOperations& operations, ParallelExecutor& executor) noexcept
      : Posted{operations}, executor_{&executor} {}
  MobileTask(const MobileTask&) = delete;
  MobileTask& operator=(const MobileTask&) = delete;

  [[nodiscard]] const MobileOperations& operations() const noexcept {
    return *static_cast<const MobileOperations*>(Wakeable::operations);
  }

  /// Idle, and nobody holds a waker. Any thread, while the task is kept alive; a glance: handle and
  /// references have to be the same before and after, and a handle says that it goes before its
  /// reference does.
  [[nodiscard]] bool is_stuck() const noexcept {
    const bool has_handle = has_handle_.load(std::memory_order_acquire);
    const std::uint32_t not_wakers = has_handle ? 2 : 1;
    return references_.load(std::memory_order_acquire) == not_wakers &&
           state_.phase() == Phase::idle &&
           references_.load(std::memory_order_acquire) == not_wakers &&
           has_handle_.load(std::memory_order_acquire) == has_handle;
  }

  static void clone(Wakeable& target) noexcept;
  static void wake(Wakeable& target) noexcept;
  static void wake_by_ref(Wakeable& target) noexcept;
  static void drop(Wakeable& target) noexcept;
  static void deliver(Posted& posted) noexcept;

 protected:
  /// Any thread: the future is dropped before its next poll, or after the one that goes on.
  void cancel() noexcept;
  std::atomic<bool> has_handle_{false};  // one of the references is a join handle's

 private:
  friend class ParallelExecutor;
  friend class Worker;

  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) operations().free(*this);
  }

  ParallelExecutor* executor_;
  std::size_t shard_ = 0;
  std::atomic<std::uint32_t> references_{1};  // the executor's own, until the future is gone
  SharedTaskState state_;
  bool reported_stuck_ = false;  // with its shard's lock
};

/// A future that may move among workers between its polls, and its outcome.
template <Future F>
class MobileTaskOf : public MobileTask {
 public:
  using Output = OutputOf<F>;

  template <class Make>
  MobileTaskOf(ParallelExecutor& executor, Make& make)
      : MobileTask{table<Make>, executor}, future_{make} {}

  /// The one handle; to be made before the task is queued. Without it, an exception that leaves the
  /// future ends the program.
  JoinHandle<Output> handle() noexcept {
    joinable_ = true;
    has_handle_.store(true, std::memory_order_relaxed);
    clone(*this);
    return {*this, joining};
  }

 private:
  static MobileTaskOf& self(Wakeable& task) noexcept { return static_cast<MobileTaskOf&>(task); }

  static bool poll(MobileTask& task) noexcept {
    MobileTaskOf& polled_task = self(task);
    const BorrowedWaker waker{task};
    Context context{waker.waker(), Context::moving};
    try {
      Poll<Output> polled = polled_task.future_.template get<0>().poll(context);
      if (polled.is_pending()) return false;
      polled_task.future_.reset();  // before the joiner goes on
      if (polled_task.joinable_) polled_task.outcome_.complete([&] { return take_value(polled); });
    } catch (...) {
      if (!polled_task.joinable_) std::terminate();  // it has nowhere to go
      polled_task.future_.reset();
      polled_task.outcome_.fail(std::current_exception());
    }
    return true;
  }
  static void drop_future(MobileTask& task) noexcept {
    MobileTaskOf& dropped = self(task);
    if (dropped.future_.empty()) return;
    dropped.future_.reset();
    dropped.outcome_.cancel();
  }
  static void free(MobileTask& task) noexcept { delete &self(task); }
  template <class Make>
  static constexpr MobileOperations table{{{&clone, &wake, &wake_by_ref, &drop}, &deliver},
                                          &MobileTaskOf::poll,
                                          &MobileTaskOf::drop_future,
                                          &MobileTaskOf::free,
                                          task_name<F, Make>()};

  static Poll<Outcome<Output>> poll_outcome(Wakeable& task, Context& context) {
    return self(task).outcome_.poll(context);
  }
  static void abort(Wakeable& task) noexcept { self(task).cancel(); }
  static void detach(Wakeable& task) noexcept {
    self(task).outcome_.leave();
    self(task).has_handle_.store(false, std::memory_order_relaxed);
  }
  static constexpr JoinOperations<Output> joining{&poll_outcome, &abort, &detach};

  OneOf<F> future_;
  bool joinable_ = false;
  SharedOutcome<Output> outcome_;
};

}  // namespace stackless
