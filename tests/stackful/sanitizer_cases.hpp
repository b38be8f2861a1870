// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <stdexcept>

#include "stackful/options.hpp"

/// The sanitizer has to see a fiber's stack for what it is, though Boost switches it and was built
/// without: neither blind there, nor crying wolf. `Scheduler` is whichever one runs the fibers.
template <class Scheduler>
struct Sanitizer : testing::Test {
  Scheduler scheduler{stackful::Options{}};

  [[gnu::noinline]] static int read_at(const volatile int* numbers, std::size_t index) {
    return numbers[index];
  }
};

TYPED_TEST_SUITE_P(Sanitizer);

TYPED_TEST_P(Sanitizer, FindsAnOverrunOnAFibersStack) {
#if !defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "built without AddressSanitizer";
#else
  ASSERT_FALSE(this->scheduler.spawn([this] {
    const std::array<int, 4> numbers{};
    this->scheduler.yield();
    static_cast<void>(this->read_at(numbers.data(), numbers.size()));
  }));
  EXPECT_DEATH(this->scheduler.run(), "stack-buffer-overflow");
#endif
}

/// A stack used again, for a body of another size, carries no marks of its former frames.
TYPED_TEST_P(Sanitizer, CriesNoWolfOnStacksThatAreUsedAgain) {
  int ran = 0;
  for (int round = 0; round < 20; ++round) {
    for (int task = 0; task < 10; ++task) {
      ASSERT_FALSE(this->scheduler.spawn([this, &ran] {
        std::array<int, 64> numbers{};
        numbers[63] = 1;
        ran += this->read_at(numbers.data(), 63);
      }));
    }
    this->scheduler.run();
    std::array<char, 700> large{};
    for (int task = 0; task < 10; ++task) {
      ASSERT_FALSE(this->scheduler.spawn([&ran, large] { ran += 1 + large[0]; }));
    }
    this->scheduler.run();
  }
  EXPECT_EQ(ran, 400);
}

// Throwing makes the sanitizer clear what it knows of the frames up to the stack's end: it must
// know the right end, or the other fibers' and the thread's own frames lose their marks.
TYPED_TEST_P(Sanitizer, FollowsExceptionsAcrossSwitches) {
  int caught = 0;
  for (int i = 0; i != 100; ++i) {
    ASSERT_FALSE(this->scheduler.spawn([this, &caught] {
      try {
        this->scheduler.yield();
        throw std::runtime_error{"on a fiber"};
      } catch (const std::runtime_error&) {
        this->scheduler.yield();
        ++caught;
      }
    }));
  }
  this->scheduler.run();
  EXPECT_EQ(caught, 100);
}

REGISTER_TYPED_TEST_SUITE_P(Sanitizer, FindsAnOverrunOnAFibersStack,
                            CriesNoWolfOnStacksThatAreUsedAgain, FollowsExceptionsAcrossSwitches);
