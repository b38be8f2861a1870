// SPDX-License-Identifier: BSL-1.0
// What only Options::stealing needs: fibers that change their worker.
#include <mutex>

#include "stackful/open_queue.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

void OpenQueue::push(Fiber& fiber) noexcept {
  const std::lock_guard locked{mutex_};
  fibers_.push(fiber);
  size_.fetch_add(1, std::memory_order_seq_cst);
}

Fiber* OpenQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard locked{mutex_};
  Fiber* const fiber = fibers_.pop();
  if (fiber != nullptr) size_.fetch_sub(1, std::memory_order_seq_cst);
  return fiber;
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
  const Arrival arrival = boost::context::detail::jump_fcontext(successor.context_, &self);
  Scheduler& here = current_after_a_switch();  // not always this one
  here.arrive(arrival);
  here.throw_if_cancelled();
}

void Scheduler::offer(Fiber& fiber) noexcept {
  open_.push(fiber);
  if (wake_if_asleep()) return;
  for (std::size_t i = 1; i != crew_->workers.size(); ++i) {
    if (neighbour(i).wake_if_asleep()) return;
  }
}

bool Scheduler::wake_if_asleep() noexcept {
  if (!asleep_.load(std::memory_order_seq_cst)) return false;
  if (!asleep_.exchange(false, std::memory_order_seq_cst)) return false;
  reactor_.wake();
  return true;
}

// Each begins with the one next to it, or all of them would turn to the same.
Scheduler& Scheduler::neighbour(std::size_t distance) const noexcept {
  return *crew_->workers[(index_ + distance) % crew_->workers.size()];
}

// Its own in any case: who has bound fibers that never wait would leave the others to starve.
Fiber* Scheduler::take_open() noexcept {
  if (Fiber* const own = open_.pop()) return own;
  if (!ready_.empty()) return nullptr;
  for (std::size_t i = 1; i != crew_->workers.size(); ++i) {
    if (Fiber* const stolen = neighbour(i).open_.pop()) {
      stolen->scheduler_ = this;
      return stolen;
    }
  }
  return nullptr;
}

// First it says that it sleeps, then it looks again; who offers does it the other way round. So one
// of the two sees the other.
void Scheduler::sleep_unless_offered() {
  asleep_.store(true, std::memory_order_seq_cst);
  bool offered = false;
  for (const auto& worker : crew_->workers) offered = offered || !worker->open_.empty();
  if (offered) {
    reactor_.look();
  } else {
    reactor_.turn(io::never);
  }
  asleep_.store(false, std::memory_order_seq_cst);
}

}  // namespace stackful
