// SPDX-License-Identifier: BSL-1.0
// The sanitizer has to see the stacks of Boost.Fiber's fibers for what they are, though the library
// that switches them was built without it.
#include <array>
#include <gtest/gtest.h>
#include <stdexcept>

#include "stackful/boost_fiber/scheduler.hpp"

namespace {

using stackful::boost_fiber::Scheduler;

[[maybe_unused, gnu::noinline]] int read_at(const volatile int* numbers, std::size_t index) {
  return numbers[index];
}

TEST(BoostFiberSanitizer, FindsAnOverrunOnAFibersStack) {
#if !defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "built without AddressSanitizer";
#else
  Scheduler scheduler;
  ASSERT_FALSE(scheduler.spawn([&] {
    const std::array<int, 4> numbers{};
    scheduler.yield();
    static_cast<void>(read_at(numbers.data(), numbers.size()));
  }));
  EXPECT_DEATH(scheduler.run(), "stack-buffer-overflow");
#endif
}

/// A stack used again, for a body of another size, carries no marks of its former frames.
TEST(BoostFiberSanitizer, CriesNoWolfOnStacksThatAreUsedAgain) {
  int ran = 0;
  Scheduler scheduler;
  for (int round = 0; round < 20; ++round) {
    for (int task = 0; task < 10; ++task) {
      ASSERT_FALSE(scheduler.spawn([&ran] {
        std::array<int, 64> numbers{};
        numbers[63] = 1;
        ran += read_at(numbers.data(), 63);
      }));
    }
    scheduler.run();
    std::array<char, 700> large{};
    for (int task = 0; task < 10; ++task) {
      ASSERT_FALSE(scheduler.spawn([&ran, large] { ran += 1 + large[0]; }));
    }
    scheduler.run();
  }
  EXPECT_EQ(ran, 400);
}

TEST(BoostFiberSanitizer, FollowsExceptionsAcrossSwitches) {
  Scheduler scheduler;
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
