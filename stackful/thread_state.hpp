// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <cxxabi.h>

namespace stackful {

/// What the C and C++ libraries keep a thread, but belongs to what runs on it: errno, and the
/// exceptions in flight (Itanium C++ ABI, "caught exceptions stack"; a fiber may switch inside a
/// handler). The floating-point control words travel with Boost.Context's own switch.
struct SavedThreadState {
  void* caught_exceptions = nullptr;
  unsigned int uncaught_exceptions = 0;
  int error_number = 0;
};

/// Where this thread keeps them; looked up once, the addresses of a thread never change.
class ThreadState {
 public:
  static ThreadState of_this_thread() noexcept {
    return {reinterpret_cast<Exceptions*>(abi::__cxa_get_globals()), &errno};
  }

  [[nodiscard]] SavedThreadState save() const noexcept {
    return {exceptions_->caught, exceptions_->uncaught, *error_number_};
  }

  void restore(const SavedThreadState& saved) const noexcept {
    exceptions_->caught = saved.caught_exceptions;
    exceptions_->uncaught = saved.uncaught_exceptions;
    *error_number_ = saved.error_number;
  }

  [[nodiscard]] int error_number() const noexcept { return *error_number_; }
  void set_error_number(int number) const noexcept { *error_number_ = number; }
  [[nodiscard]] bool has_exceptions() const noexcept {
    return (reinterpret_cast<std::uintptr_t>(exceptions_->caught) | exceptions_->uncaught) != 0;
  }

 private:
  struct Exceptions {  // the ABI's __cxa_eh_globals
    void* caught;
    unsigned int uncaught;
  };

  ThreadState(Exceptions* exceptions, int* error_number) noexcept
      : exceptions_{exceptions}, error_number_{error_number} {}

  Exceptions* exceptions_;
  int* error_number_;
};

}  // namespace stackful
