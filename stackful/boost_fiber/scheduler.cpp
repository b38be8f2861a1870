// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/scheduler.hpp"

#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/context.hpp>
#include <cassert>
#include <thread>

#include "stackful/boost_fiber/algorithm.hpp"

namespace stackful::boost_fiber {

using boost::fibers::context;

Scheduler::Scheduler(const Options& options) : stacks_{options}, algorithm_{new Algorithm{*this}} {
  if (options.workers != 1) {
    throw std::system_error{std::make_error_code(std::errc::not_supported), "workers other than 1"};
  }
}

// A fiber that has never started cannot be destroyed (its control block lies on its own stack,
// which Boost.Context frees first): it is started, and ends at once.
Scheduler::~Scheduler() {
  dropping_ = true;
  if (!not_started_.empty()) run();
  while (posting_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void Scheduler::adopt(context& task) noexcept {
  ++alive_;
  if (current_ == this) {
    start(task);
  } else {
    task.ready_link(not_started_);
  }
}

void Scheduler::start(context& task) noexcept {
  context::active()->attach(&task);
  make_runnable(task);
}

void Scheduler::run() {
  assert(current_ == nullptr);
  current_ = this;
  thread_ = ThreadState::of_this_thread();
  main_ = context::active();
  main_->get_scheduler()->set_algo(algorithm_);
  while (!not_started_.empty()) {
    context& task = not_started_.front();
    not_started_.pop_front();
    start(task);
  }
  while (alive_ != 0) suspend(*main_);
  yield();  // to the dispatcher, which is always in the queue: it gives back the ended fibers'
            // stacks
  main_->get_scheduler()->set_algo(new boost::fibers::algo::round_robin);
  current_ = nullptr;
}

void Scheduler::suspend(context& self) noexcept {
  const SavedThreadState saved = thread_.save();
  self.suspend();
  thread_.restore(saved);
}

void Scheduler::yield() noexcept {
  const SavedThreadState saved = thread_.save();
  context::active()->yield();
  thread_.restore(saved);
}

void Scheduler::turn(io::TimePoint deadline) noexcept {
  reactor_.turn(deadline);
  inbox_.deliver();
}

void Scheduler::look() noexcept {
  reactor_.look();
  inbox_.deliver();
}

void Scheduler::end_slice() noexcept {
  look();
  yield();
}

// The message may set free whoever keeps the scheduler alive, before the wake is through.
void Scheduler::post(Message& message) noexcept {
  posting_.fetch_add(1, std::memory_order_relaxed);
  if (inbox_.post(message)) reactor_.wake();
  posting_.fetch_sub(1, std::memory_order_release);
}

void Scheduler::task_ended() noexcept {
  if (--alive_ == 0) make_runnable(*main_);
}

}  // namespace stackful::boost_fiber
