// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <pthread.h>

namespace threads {

/// What pthread_create is told about a stack. The guard comes on top of the stack's own bytes and
/// costs a mapping of its own.
class StackAttributes {
 public:
  /// Throws std::system_error when the C library refuses a size: a size below PTHREAD_STACK_MIN
  /// that nobody noticed would leave 8 MiB in force.
  StackAttributes(std::size_t stack_bytes, std::size_t guard_bytes);
  ~StackAttributes();
  StackAttributes(const StackAttributes&) = delete;
  StackAttributes& operator=(const StackAttributes&) = delete;

  [[nodiscard]] const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

/// The size of the calling thread's stack as the C library knows it, guard excluded. Costs a system
/// call and an allocation; 0 when it cannot be had.
std::size_t current_stack_bytes() noexcept;

}  // namespace threads
