// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include "stackful/guard.hpp"

namespace stackful {

/// What a runtime of this room is built from.
struct Options {
  /// What each task can use at least; rounded up to whole pages.
  std::size_t stack_bytes = std::size_t{64} * 1024;
  Guard guard = lightest_guard();
  /// Starts the stacks at different offsets within their top page: stacks that all start alike keep
  /// their hot lines in the same few cache sets.
  bool colouring = true;
  /// One scheduler and one reactor each.
  unsigned workers = 1;
};

}  // namespace stackful
