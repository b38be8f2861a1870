// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <sys/wait.h>

#include "stackful/overflow.hpp"
#include "stackful/scheduler.hpp"

// How the children of overflow tests end, and what is expected of them.

#if defined(__SANITIZE_THREAD__)
inline constexpr bool children_may_start_threads =
    false;  // it gives up on those of a forked process
#else
inline constexpr bool children_may_start_threads = true;
#endif

/// How children end that found what they should have found.
inline constexpr int found = 42;
inline constexpr int found_something_else = 43;

inline bool lies_in_guard(const stackful::Overflow& overflow) {
  return overflow.address < overflow.stack.lowest &&
         overflow.address >= overflow.stack.lowest - 4096;
}

inline void expect_exit(const std::optional<int>& status, int code) {
  ASSERT_TRUE(status.has_value());
  ASSERT_TRUE(WIFEXITED(*status)) << "signal " << WTERMSIG(*status);
  EXPECT_EQ(WEXITSTATUS(*status), code);
}

inline void expect_segmentation_fault(const std::optional<int>& status) {
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGSEGV) << *status;
}

/// Whether it was the fiber that runs now.
inline void end_with_whose(void*, const stackful::Overflow& overflow) noexcept {
  const bool own = stackful::Scheduler::current()->running().stack().top == overflow.stack.top;
  std::_Exit(own && lies_in_guard(overflow) ? found : found_something_else);
}

class EveryGuard : public testing::TestWithParam<stackful::Guard> {
 protected:
  void SetUp() override {
    if (GetParam() == stackful::Guard::madvise && !stackful::lightweight_guards_work()) {
      GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL (Linux 6.13)";
    }
  }
};
