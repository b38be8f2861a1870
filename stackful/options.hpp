// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "stackful/guard.hpp"

namespace stackful {

/// What becomes of the pages that an ended task has touched on its stack.
enum class Recycling {
  keep,  ///< nothing: the next task finds them, and pays no page fault for them
  trim,  ///< all but the top one go back to the kernel: a system call an end, page faults later
};

/// What a runtime of this room is built from.
struct Options {
  /// What each task can use at least; rounded up to whole pages.
  std::size_t stack_bytes = std::size_t{64} * 1024;
  Guard guard = lightest_guard();
  /// Starts the stacks at different offsets within their top page: stacks that all start alike keep
  /// their hot lines in the same few cache sets.
  bool colouring = true;
  Recycling recycling = Recycling::keep;
  /// Fills each new stack with a pattern, so that high-water is known to the byte. Makes all of it
  /// resident: a painted run says nothing about memory.
  bool painted = false;
  /// One scheduler and one reactor each.
  unsigned workers = 1;
  /// Lets a worker that has nothing to run take fibers of others: those that have not started, and
  /// those in yield(). Not those that are bound to their worker: who has a handle, from its spawn;
  /// who makes an event, a stream, a listener or a handle, or uses a stream or a listener, from
  /// then on. Nothing else binds: neither setting an event nor waiting for it, nor what was made
  /// elsewhere and given to a fiber. Streams and listeners that are used, and handles that are
  /// joined or detached, on another worker than their own throw std::logic_error, a handle's
  /// destructor included: so who gets a handle moved in is to be spawned with a handle itself.
  ///
  /// Hazards, of every such fiber: after spawn() or yield() it can be on another thread. Then the
  /// address of a thread_local variable, of errno too, taken before is that of another thread's,
  /// whether the program has kept it or the compiler, which may (llvm-project #98479); so are a
  /// mutex held across yield(), which its thread has to unlock, and std::this_thread::get_id().
  /// Fiber::unpark and Fiber::cancel are not for other threads.
  ///
  /// The price: a yield takes a mutex, and goes through the worker; while another worker sleeps, it
  /// also wakes one (a write to its eventfd), which may find the fiber gone on already.
  bool stealing = false;
};

}  // namespace stackful
