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
};

}  // namespace stackful
