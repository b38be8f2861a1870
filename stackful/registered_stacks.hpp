// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

namespace stackful {

/// Tells valgrind, if the program runs under it, which memory is a stack: without that it takes a
/// switch for a frame of enormous size. Where valgrind's header was not there at build time, or
/// outside of valgrind, it does nothing. (Valgrind manual, 3.1, "The Client Request mechanism".)
class RegisteredStacks {
 public:
  RegisteredStacks() = default;
  ~RegisteredStacks();  ///< takes them all back
  RegisteredStacks(const RegisteredStacks&) = delete;
  RegisteredStacks& operator=(const RegisteredStacks&) = delete;

  void add(const std::byte* lowest, const std::byte* top);

 private:
  std::vector<unsigned> numbers_;
};

}  // namespace stackful
