// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <pthread.h>
#include <system_error>

#include "harness/contenders.hpp"

namespace harness {

/// Where the stacks of a runtime come from.
inline const stackful::StackPool& pool_of(const stackful::Runtime& runtime) {
  return runtime.worker(0).stacks();
}
inline const stackful::StackPool& pool_of(const stackful::boost_fiber::Backend::Runtime& runtime) {
  return runtime.stacks();
}

/// The stack that the calling task runs on.
template <class Runtime>
stackful::Stack own_stack(const Runtime& runtime) {
  const std::byte here{};
  return pool_of(runtime).find(&here);
}

/// A thread's, its guard excluded. Throws std::system_error.
inline stackful::Stack own_stack(const threads::Backend::Runtime&) {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error == 0) {
    error = pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
  }
  if (error != 0) throw std::system_error{error, std::generic_category(), "a thread's own stack"};
  auto* const bottom = static_cast<std::byte*>(lowest);
  return {bottom + bytes, bottom};
}

}  // namespace harness
