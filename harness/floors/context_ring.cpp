// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/context_ring.hpp"

namespace harness::floors {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

ContextRing::ContextRing(std::size_t tasks) : stacks_{tasks} {
  for (std::size_t index = 0; index < tasks; ++index) {
    Task& task = stacks_.make_at_top<Task>(index);
    task.ring = this;
    task.context = jump_fcontext(make_fcontext(&task, Stacks::bytes / 2, &enter), &task).fctx;
    tasks_.push_back(&task);
  }
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_[index]->next = tasks_[(index + 1) % tasks];
  }
  holder_ = tasks_.front();
}

void ContextRing::pass(std::uint64_t hops) noexcept {
  left_ = hops;
  const transfer_t arrival = jump_fcontext(holder_->context, &home_);
  Task& last = *static_cast<Task*>(arrival.data);
  last.context = arrival.fctx;
  holder_ = last.next;
}

// A first arrival learns who it is and goes back; from then on, whoever jumps says who left.
void ContextRing::enter(transfer_t arrival) noexcept {
  Task& self = *static_cast<Task*>(arrival.data);
  arrival = jump_fcontext(arrival.fctx, nullptr);
  while (true) {
    static_cast<Task*>(arrival.data)->context = arrival.fctx;
    ++self.visits;
    Task& to = --self.ring->left_ != 0 ? *self.next : self.ring->home_;
    arrival = jump_fcontext(to.context, &self);
  }
}

}  // namespace harness::floors
