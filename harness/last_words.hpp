// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>

#include "harness/subject.hpp"

namespace harness {

/// Memory may run out where nobody catches it: in a thread, in a noexcept function. While this
/// lives, the row then says which limit was met instead of `crashed:`. One a process.
class LastWords {
 public:
  explicit LastWords(Port& port);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

 private:
  static void speak();

  std::terminate_handler before_;
};

}  // namespace harness
