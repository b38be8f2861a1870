// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "stackless/join_handle.hpp"
#include "stackless/list_link.hpp"
#include "stackless/one_of.hpp"
#include "stackless/shared_outcome.hpp"
#include "stackless/waker.hpp"

namespace stackless {

class JobQueue;

/// Work for a blocking pool. Referred to by the pool until it is through with it, and by its
/// handle. It begins when it is taken from the queue.
class BlockingJob : public Wakeable, public ListLink {
 public:
  /// The pool's thread that has taken it: runs the work, and lets go of the job.
  void run() noexcept {
    work();
    release();
  }
  /// Whoever has taken it: it never runs.
  void cancel() noexcept {
    give_up();
    release();
  }
  /// Any thread: if it has not begun, it never will.
  void abort() noexcept;
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  BlockingJob(const WakerOperations& table, std::shared_ptr<JobQueue> queue) noexcept
      : Wakeable{&table}, queue_{std::move(queue)} {}
  virtual ~BlockingJob() = default;

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }

 private:
  virtual void work() noexcept = 0;
  virtual void give_up() noexcept = 0;

  const std::shared_ptr<JobQueue> queue_;  // there to abort, though the pool may have gone
  std::atomic<unsigned> references_{1};
};

/// Jobs that wait for a thread, first in, first out, and the lock of their pool. Whatever is done
/// with one job looks at no other.
class JobQueue {
 public:
  /// To be held for all below, but for `remove`.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void push(BlockingJob& job) noexcept {
    job.link_before(jobs_);
    ++size_;
  }
  /// nullptr: empty.
  BlockingJob* pop() noexcept {
    if (size_ == 0) return nullptr;
    auto& first = static_cast<BlockingJob&>(*jobs_.next);
    take(first);
    return &first;
  }
  /// Any thread. False: it is not there, or somebody else has taken it.
  [[nodiscard]] bool remove(BlockingJob& job) noexcept {
    const std::lock_guard lock{mutex_};
    if (!job.is_linked()) return false;
    take(job);
    return true;
  }

 private:
  void take(BlockingJob& job) noexcept {
    job.unlink();
    --size_;
  }

  std::mutex mutex_;
  ListLink jobs_;
  std::size_t size_ = 0;
};

inline void BlockingJob::abort() noexcept {
  if (queue_->remove(*this)) cancel();
}

template <class Work>
class WorkJob final : public BlockingJob {
 public:
  using Output = std::invoke_result_t<Work&>;

  WorkJob(Work work, std::shared_ptr<JobQueue> queue) : BlockingJob{table, std::move(queue)} {
    work_.template emplace<0>([&] { return std::move(work); });
  }
  JoinHandle<Output> handle() noexcept {
    add_reference();
    return {*this, joining};
  }

 private:
  static WorkJob& self(Wakeable& job) noexcept { return static_cast<WorkJob&>(job); }

  void work() noexcept override {
    try {
      if constexpr (std::is_void_v<Output>) {
        work_.template get<0>()();
        work_.reset();  // before the joiner goes on
        outcome_.complete([] { return Unit{}; });
      } else {
        Output output = work_.template get<0>()();
        work_.reset();
        outcome_.complete([&] { return std::move(output); });
      }
    } catch (...) {
      work_.reset();
      outcome_.fail(std::current_exception());
    }
  }
  void give_up() noexcept override {
    work_.reset();
    outcome_.cancel();
  }

  // Its handle holds a reference like a waker; nobody wakes a job.
  static void clone(Wakeable& job) noexcept { self(job).add_reference(); }
  static void drop(Wakeable& job) noexcept { self(job).release(); }
  static void wake_by_ref(Wakeable&) noexcept {}
  static constexpr WakerOperations table{&clone, &drop, &wake_by_ref, &drop};
  static constexpr JoinOperations<Output> joining{
      [](Wakeable& job, Context& context) { return self(job).outcome_.poll(context); },
      [](Wakeable& job) noexcept { self(job).abort(); },
      [](Wakeable& job) noexcept {
        self(job).outcome_.leave();
      }};

  OneOf<Work> work_;
  SharedOutcome<Output> outcome_;
};

}  // namespace stackless
