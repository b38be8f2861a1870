// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/context/stack_context.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/policy.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "stackful/stack.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace stackful::boost_fiber {

/// Lends Boost.Fiber one stack, taken from the pool beforehand, and gives it back in the end: so a
/// limit is an error code at the door, not an exception out of a half-built fiber.
class StackLoan {
 public:
  StackLoan(StackPool& pool, Stack stack) noexcept : pool_{&pool}, stack_{stack} {}

  [[nodiscard]] boost::context::stack_context allocate() const noexcept {
#if defined(__SANITIZE_ADDRESS__)
    // Whoever ran there before never left its last frames: the sanitizer still has their marks.
    __asan_unpoison_memory_region(stack_.lowest, stack_.bytes());
#endif
    boost::context::stack_context lent;
    lent.sp = stack_.top;
    lent.size = stack_.bytes();
    return lent;
  }
  void deallocate(const boost::context::stack_context&) const noexcept {
    pool_->give_back(stack_);
  }

 private:
  StackPool* pool_;
  Stack stack_;
};

/// What a stack must have for a fiber of `Body` to begin at all. Boost.Fiber builds its control
/// block (which holds the body) and Boost.Context's record at the top, each rounded down to 256
/// bytes.
template <class Body>
constexpr std::size_t least_stack_bytes() {
  constexpr std::size_t record = 256;
  constexpr std::size_t rounding = 2 * 256 + 64;
  constexpr std::size_t first_frames = 2048;
  return sizeof(boost::fibers::worker_context<Body>) + record + rounding + 2 * sizeof(Body) +
         first_frames;
}

/// A fiber that will run `body`: built by Boost.Fiber at the top of its own stack, on no thread
/// yet. It holds one reference to itself, which Boost.Fiber's dispatcher drops after its end.
template <class Body>
boost::intrusive_ptr<boost::fibers::context> make_task(StackLoan loan, Body body) {
  static_assert(std::is_nothrow_move_constructible_v<Body>, "the stack is lent already");
  return boost::fibers::make_worker_context(boost::fibers::launch::post, loan, std::move(body));
}

}  // namespace stackful::boost_fiber
