// SPDX-License-Identifier: BSL-1.0
// The sanitizer has to see a fiber's stack for what it is: neither blind there, nor crying wolf.
#include <array>
#include <gtest/gtest.h>
#include <stdexcept>

#include "stackful/scheduler.hpp"

namespace {

using stackful::Scheduler;

[[maybe_unused, gnu::noinline]] int read_at(const volatile int* numbers, std::size_t index) {
  return numbers[index];
}

TEST(Sanitizer, FindsAnOverrunOnAFibersStack) {
#if !defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "built without AddressSanitizer";
#else
  Scheduler scheduler{{}};
  ASSERT_FALSE(scheduler.spawn([&] {
    const std::array<int, 4> numbers{};
    scheduler.yield();
    static_cast<void>(read_at(numbers.data(), numbers.size()));
  }));
  EXPECT_DEATH(scheduler.run(), "stack-buffer-overflow");
#endif
}

// Throwing makes the sanitizer clear what it knows of the frames up to the stack's end: it must
// know the right end, or the other fibers' and the thread's own frames lose their marks.
TEST(Sanitizer, FollowsExceptionsAcrossSwitches) {
  Scheduler scheduler{{}};
  int caught = 0;
  for (int i = 0; i != 100; ++i) {
    ASSERT_FALSE(scheduler.spawn([&] {
      try {
        scheduler.yield();
        throw std::runtime_error{"on a fiber"};
      } catch (const std::runtime_error&) {
        scheduler.yield();
        ++caught;
      }
    }));
  }
  scheduler.run();
  EXPECT_EQ(caught, 100);
}

}  // namespace
