// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/scheduler.hpp"

#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/context.hpp>
#include <cassert>

#include "stackful/boost_fiber/algorithm.hpp"
#include "stackful/boost_fiber/parking.hpp"

namespace stackful::boost_fiber {

using boost::fibers::context;

thread_local Scheduler* Scheduler::current_ = nullptr;

Scheduler::Scheduler(Options options) : stacks_{options}, algorithm_{new Algorithm{*this}} {
  if (options.workers != 1) {
    throw std::system_error{std::make_error_code(std::errc::not_supported), "workers other than 1"};
  }
}

// A fiber that was never started cannot be destroyed in Boost.Fiber (its body lies on its own
// stack): it is started, and ends at once.
Scheduler::~Scheduler() {
  abandoned_ = true;
  if (!not_started_.empty()) run();
}

void Scheduler::adopt(context& task) noexcept {
  ++live_;
  if (current_ == this) {
    start(task);
  } else {
    task.ready_link(not_started_);
  }
}

void Scheduler::start(context& task) noexcept {
  context* const active = context::active();
  active->attach(&task);
  active->get_scheduler()->schedule(&task);
}

void Scheduler::run() {
  assert(current_ == nullptr);
  current_ = this;
  main_ = context::active();
  main_->get_scheduler()->set_algo(algorithm_);
  while (!not_started_.empty()) {
    context& task = not_started_.front();
    not_started_.pop_front();
    start(task);
  }
  while (live_ != 0) main_->suspend();
  main_->yield();  // to the dispatcher, which always is in the queue: it gives ended stacks back
  main_->get_scheduler()->set_algo(new boost::fibers::algo::round_robin);
  current_ = nullptr;
}

void Scheduler::task_ended() noexcept {
  if (--live_ == 0) make_runnable(*main_);
}

void Scheduler::turn(io::TimePoint deadline) noexcept {
  reactor_.turn(deadline);
  inbox_.deliver();
}

}  // namespace stackful::boost_fiber
