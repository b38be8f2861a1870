// SPDX-License-Identifier: BSL-1.0
#include "stackful/registered_stacks.hpp"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace stackful {

#ifdef VALGRIND_STACK_REGISTER

RegisteredStacks::~RegisteredStacks() {
  for (const unsigned number : numbers_) VALGRIND_STACK_DEREGISTER(number);
}

void RegisteredStacks::add(const std::byte* lowest, const std::byte* top) {
  if (RUNNING_ON_VALGRIND == 0) return;
  numbers_.push_back(static_cast<unsigned>(VALGRIND_STACK_REGISTER(lowest, top)));
}

#else

RegisteredStacks::~RegisteredStacks() = default;
void RegisteredStacks::add(const std::byte*, const std::byte*) {}

#endif

}  // namespace stackful
