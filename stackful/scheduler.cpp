// SPDX-License-Identifier: BSL-1.0
#include "stackful/scheduler.hpp"

#include <exception>
#include <stdexcept>
#include <thread>

namespace stackful {

namespace context = boost::context::detail;

Scheduler::Scheduler(const Options& options, Crew* crew)
    : crew_{crew, options.stealing, reactor_}, stacks_{options} {}

Scheduler::~Scheduler() {
  while (posting_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  while (Fiber* fiber = crew_.take(true)) ready_.push(*fiber);
  while (Fiber* fiber = ready_.pop()) {
    fiber->drop_(fiber->body());
    discard(*fiber);
  }
}

void Scheduler::run() {
  Scheduler* const outer = std::exchange(current_, this);
  thread_ = ThreadState::of_this_thread();
  running_ = &worker_;
  while (live_tasks() != 0) {
    if (!ready_.empty() || !inbox_.empty()) {
      reactor_.look();
    } else if (crew_.stealing()) {
      crew_.sleep_unless_offered();
    } else {
      reactor_.turn(io::never);
    }
    inbox_.deliver();
    budget_ = io::poll_budget;
    Fiber* const open = crew_.stealing() ? crew_.take(!ready_.empty()) : nullptr;
    if (open != nullptr) open->scheduler_ = this;
    if (Fiber* const fiber = open != nullptr ? open : ready_.pop()) switch_to(*fiber);
  }
  current_ = outer;
}

// The message may set free whoever keeps the scheduler alive, before the wake is through.
void Scheduler::post(Message& message) noexcept {
  posting_.fetch_add(1, std::memory_order_relaxed);
  if (inbox_.post(message)) reactor_.wake();
  posting_.fetch_sub(1, std::memory_order_release);
}

void Scheduler::park_shielded() noexcept {
  Fiber& self = *running_;
  if ((self.signals_ & Fiber::permit) != 0) {
    self.signals_ &= static_cast<unsigned char>(~Fiber::permit);
  } else {
    self.state_ = Fiber::State::parked;
    switch_to(next());
  }
}

void Scheduler::park_signalled() {
  throw_if_cancelled();
  park_shielded();
  throw_if_cancelled();
}

void Scheduler::set_exceptions_aside(Fiber& fiber) const noexcept {
  fiber.saved_ = thread_.save();
  fiber.signals_ |= Fiber::exceptions;
  thread_.restore({.error_number = fiber.saved_.error_number});
}

void Scheduler::bring_exceptions_back() const noexcept {
  Fiber& fiber = *running_;
  if ((fiber.signals_ & Fiber::exceptions) == 0) return;
  fiber.signals_ &= static_cast<unsigned char>(~Fiber::exceptions);
  thread_.restore(fiber.saved_);
}

// A destructor that waits while the stack unwinds has to be let wait.
void Scheduler::raise_cancelled() {
  if (std::uncaught_exceptions() == 0) throw Cancelled{};
}

void Scheduler::refuse_other_workers() const {
  if (current_ != nullptr && current_->crew_.works_with(crew_)) {
    throw std::logic_error{"used on another worker than the one where it is at home"};
  }
}

void Scheduler::end_slice() {
  slice_ = io::calls_a_slice;
  ready_.push(*running_);
  switch_to(worker_);
  throw_if_cancelled();
}

void Scheduler::start(Fiber& fiber, void (*entry)(Arrival),
                      void (*drop_body)(void*) noexcept) noexcept {
  auto* const top = reinterpret_cast<std::byte*>(&fiber);
  fiber.context_ =
      context::make_fcontext(top, static_cast<std::size_t>(top - fiber.stack_.lowest), entry);
  fiber.drop_ = drop_body;
  crew_.count_spawned();
  CrewMember& place = fiber.scheduler_->crew_;
  if (place.stealing() && !fiber.bound_) return place.offer(fiber);
  if (fiber.scheduler_ == this) return ready_.push(fiber);
  fiber.state_ = Fiber::State::parked;
  fiber.scheduler_->post(fiber.unpark_message_);
}

// Who has left its stack by ending, or to be had by all.
void Scheduler::settle(Fiber& left) noexcept {
  if (left.state_ == Fiber::State::yielded) {
    left.state_ = Fiber::State::runnable;
    crew_.offer(left);
  } else if (!left.joinable_) {
    discard(left);
  }
}

void Scheduler::discard(Fiber& fiber) noexcept {
  if (fiber.unpark_message_.posted.load(std::memory_order_relaxed)) inbox_.deliver();
  if (fiber.pool_ == &stacks_) {
    stacks_.give_back(fiber.stack_);
  } else {
    fiber.pool_->give_back_from_elsewhere(fiber.stack_);
  }
}

// Not to be seen through, by no optimiser: inlined into a function that has switched, it would be
// read from the address it had on the thread before.
[[gnu::noinline]] Scheduler& Scheduler::current_after_a_switch() noexcept {
  asm volatile("" ::: "memory");
  return *current_;
}

// The fiber is offered by whoever runs next: nobody can take it before its context is stored.
[[gnu::noinline]] void Scheduler::yield_to_all() {
  Fiber& self = *running_;
  self.state_ = Fiber::State::yielded;
  Fiber& successor = next();
  self.saved_.error_number = thread_.error_number();
  if (thread_.has_exceptions()) set_exceptions_aside(self);
  running_ = &successor;
  const Arrival arrival = context::jump_fcontext(successor.context_, &self);
  Scheduler& here = current_after_a_switch();  // not always this one
  here.arrive(arrival);
  here.throw_if_cancelled();
}

// The last switch of a fiber: whoever runs next gives its stack back.
void Scheduler::end() noexcept {
  Fiber& self = *running_;
  self.state_ = Fiber::State::ended;
  Fiber& successor = crew_.count_ended() ? worker_ : next();
  running_ = &successor;
  context::jump_fcontext(successor.context_, &self);
  std::terminate();  // nobody resumes an ended fiber
}

}  // namespace stackful
