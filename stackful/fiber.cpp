// SPDX-License-Identifier: BSL-1.0
#include "stackful/fiber.hpp"

#include <cstdint>
#include <new>

#include "stackful/scheduler.hpp"

namespace stackful {
namespace {

constexpr std::size_t least_room = 2048;  // for the first frames of a body

static_assert(sizeof(void*) != 8 || sizeof(Fiber) == 128, "the README's figure: two cache lines");

}  // namespace

Fiber::Fiber(Scheduler& scheduler, StackPool* pool, Stack stack) noexcept
    : scheduler_{&scheduler}, stack_{stack}, pool_{pool} {
  notify = [](io::Waiter& waiter) noexcept {
    auto& fiber = static_cast<Fiber&>(waiter);
    fiber.scheduler_->unpark(fiber);
  };
}

// Finds the place for the control block and the body at the top of a stack.
Fiber* Fiber::reserve(StackPool& pool, Scheduler& worker, std::size_t body_bytes,
                      std::error_code& error) {
  const Stack stack = pool.take(error);
  if (error) return nullptr;
  const std::size_t needed = sizeof(Fiber) + body_bytes + alignof(Fiber);
  if (stack.bytes() < needed + least_room) {
    pool.give_back(stack);
    error = StackError::stack_too_small;
    return nullptr;
  }
  std::byte* const lowest_place = stack.top - sizeof(Fiber) - body_bytes;
  const auto misaligned = reinterpret_cast<std::uintptr_t>(lowest_place) % alignof(Fiber);
  return ::new (lowest_place - misaligned) Fiber{worker, &pool, stack};
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

}  // namespace stackful
