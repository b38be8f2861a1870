// SPDX-License-Identifier: BSL-1.0
#include "stackful/scheduler.hpp"

#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

namespace stackful {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t least_room = 2048;  // for the first frames of a body

}  // namespace

Fiber::Fiber(Scheduler& scheduler, StackPool* pool, Stack stack) noexcept
    : scheduler_{&scheduler}, stack_{stack}, pool_{pool} {
  notify = [](io::Waiter& waiter) noexcept {
    auto& fiber = static_cast<Fiber&>(waiter);
    fiber.scheduler_->unpark(fiber);
  };
}

Fiber::UnparkMessage::UnparkMessage(Fiber& whom) noexcept : fiber{whom} {
  deliver = [](Message& message) noexcept {
    Fiber& parked = static_cast<UnparkMessage&>(message).fiber;
    if (parked.cancelled()) parked.signals_ |= unwind;
    parked.scheduler_->unpark(parked);
  };
}

void Fiber::unpark() noexcept {
  if (Scheduler::current() == scheduler_) {
    scheduler_->unpark(*this);
  } else {
    scheduler_->post(unpark_message_);
  }
}

void Fiber::cancel() noexcept {
  cancelled_.store(true, std::memory_order_relaxed);
  if (Scheduler::current() == scheduler_) signals_ |= unwind;
  unpark();
}

Scheduler::Scheduler(const Options& options, Crew* crew)
    : crew_{crew},
      index_{crew == nullptr ? 0 : crew->workers.size()},
      stealing_{crew != nullptr && options.stealing},
      stacks_{options} {}

Scheduler::~Scheduler() {
  while (posting_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  while (Fiber* fiber = open_.pop()) ready_.push(*fiber);
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
    } else if (stealing_) {
      sleep_unless_offered();
    } else {
      reactor_.turn(io::never);
    }
    inbox_.deliver();
    budget_ = io::poll_budget;
    Fiber* const open = stealing_ ? take_open() : nullptr;
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
  if (crew_ != nullptr && current_ != nullptr && current_->crew_ == crew_) {
    throw std::logic_error{"used on another worker than the one where it is at home"};
  }
}

void Scheduler::end_slice() {
  slice_ = io::calls_a_slice;
  ready_.push(*running_);
  switch_to(worker_);
  throw_if_cancelled();
}

// Finds the place for the control block and the body at the top of a stack.
Fiber* Scheduler::reserve(Scheduler& worker, std::size_t body_bytes, std::error_code& error) {
  const Stack stack = stacks_.take(error);
  if (error) return nullptr;
  const std::size_t needed = sizeof(Fiber) + body_bytes + alignof(Fiber);
  if (stack.bytes() < needed + least_room) {
    stacks_.give_back(stack);
    error = StackError::stack_too_small;
    return nullptr;
  }
  std::byte* const lowest_place = stack.top - sizeof(Fiber) - body_bytes;
  const auto misaligned = reinterpret_cast<std::uintptr_t>(lowest_place) % alignof(Fiber);
  return ::new (lowest_place - misaligned) Fiber{worker, &stacks_, stack};
}

void Scheduler::start(Fiber& fiber, void (*entry)(Arrival),
                      void (*drop_body)(void*) noexcept) noexcept {
  auto* const top = reinterpret_cast<std::byte*>(&fiber);
  fiber.context_ =
      context::make_fcontext(top, static_cast<std::size_t>(top - fiber.stack_.lowest), entry);
  fiber.drop_ = drop_body;
  count_spawned();
  if (fiber.scheduler_->stealing_ && !fiber.bound_) return fiber.scheduler_->offer(fiber);
  if (fiber.scheduler_ == this) return ready_.push(fiber);
  fiber.state_ = Fiber::State::parked;
  fiber.scheduler_->post(fiber.unpark_message_);
}

void Scheduler::count_spawned() noexcept {
  if (crew_ == nullptr) {
    ++alive_;
  } else {
    crew_->alive.fetch_add(1, std::memory_order_relaxed);
  }
}

bool Scheduler::count_ended() noexcept {
  if (crew_ == nullptr) return --alive_ == 0;
  if (crew_->alive.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  for (const auto& worker : crew_->workers) worker->reactor_.wake();
  return true;
}

// Who has left its stack by ending, or to be had by all.
void Scheduler::settle(Fiber& left) noexcept {
  if (left.state_ == Fiber::State::yielded) {
    left.state_ = Fiber::State::runnable;
    offer(left);
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

// The last switch of a fiber: whoever runs next gives its stack back.
void Scheduler::end() noexcept {
  Fiber& self = *running_;
  self.state_ = Fiber::State::ended;
  Fiber& successor = count_ended() ? worker_ : next();
  running_ = &successor;
  context::jump_fcontext(successor.context_, &self);
  std::terminate();  // nobody resumes an ended fiber
}

}  // namespace stackful
