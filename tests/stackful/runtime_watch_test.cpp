// SPDX-License-Identifier: BSL-1.0
// A runtime whose workers cannot watch for overflows.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "stackful/runtime.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

TEST(Runtime, RunsNothingWhereAWorkerCannotWatch) {
  GTEST_SKIP() << "a sanitizer gives signal stacks to threads itself, before main";
}

#else

namespace {

/// The one thread that gets a signal stack; 0: every one does.
std::atomic<pid_t> favoured{0};

}  // namespace

/// In the C library's place.
extern "C" int sigaltstack(const stack_t* stack, stack_t* previous) noexcept {
  const pid_t only = favoured;
  if (only != 0 && only != gettid()) {
    errno = ENOMEM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_sigaltstack, stack, previous));
}

namespace {

TEST(Runtime, RunsNothingWhereAWorkerCannotWatch) {
  stackful::Runtime runtime{{.workers = 3}};
  std::atomic<int> ran{0};
  for (int i = 0; i != 6; ++i) {
    ASSERT_FALSE(runtime.spawn([&] { ++ran; }));
  }
  runtime.report_overflows([](void*, const stackful::Overflow&) noexcept {}, nullptr);
  favoured = gettid();
  EXPECT_THROW(runtime.run(), std::system_error);
  favoured = 0;
  EXPECT_EQ(ran, 0);
  runtime.run();
  EXPECT_EQ(ran, 6);
}

}  // namespace

#endif
