// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "stackless/join_handle.hpp"
#include "stackless/one_of.hpp"
#include "stackless/shared_outcome.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// Work for a blocking pool. Referred to by the pool until it is through with it, and by its
/// handle.
class BlockingJob : public Wakeable {
 public:
  BlockingJob(const BlockingJob&) = delete;
  BlockingJob& operator=(const BlockingJob&) = delete;

  /// The pool's thread: runs the work unless it was aborted, and lets go of the job.
  void run() noexcept {
    if (begin(Step::begun)) work();
    release();
  }
  /// Any thread: if it has not begun, it never will.
  void abort() noexcept {
    if (begin(Step::aborted)) give_up();
  }
  [[nodiscard]] bool was_aborted() const noexcept {
    return step_.load(std::memory_order_relaxed) == Step::aborted;
  }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  explicit BlockingJob(const WakerOperations& table) noexcept : Wakeable{&table} {}
  virtual ~BlockingJob() = default;

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }

 private:
  enum class Step : unsigned char { queued, begun, aborted };

  bool begin(Step step) noexcept {
    Step queued = Step::queued;
    return step_.compare_exchange_strong(queued, step, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }
  virtual void work() noexcept = 0;
  virtual void give_up() noexcept = 0;

  friend class JobQueue;
  BlockingJob* next_ = nullptr;
  std::atomic<unsigned> references_{1};
  std::atomic<Step> step_{Step::queued};
};

/// Jobs that wait for a thread, first in, first out; one that is aborted stays until it is popped
/// or its room is needed. Intrusive.
class JobQueue {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void push(BlockingJob& job) noexcept {
    (size_++ == 0 ? first_ : last_->next_) = &job;
    last_ = &job;
  }
  /// nullptr: empty.
  BlockingJob* pop() noexcept {
    if (size_ == 0) return nullptr;
    --size_;
    return std::exchange(first_, first_->next_);
  }
  /// Lets go of those that have been aborted: nobody has to pop them any more.
  void drop_aborted() noexcept {
    JobQueue kept;
    while (BlockingJob* const job = pop()) {
      job->was_aborted() ? job->release() : kept.push(*job);
    }
    *this = kept;
  }

 private:
  BlockingJob* first_ = nullptr;
  BlockingJob* last_ = nullptr;
  std::size_t size_ = 0;
};

template <class Work>
class WorkJob final : public BlockingJob {
 public:
  using Output = std::invoke_result_t<Work&>;

  explicit WorkJob(Work work) : BlockingJob{table} {
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
