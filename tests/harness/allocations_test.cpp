// SPDX-License-Identifier: BSL-1.0
#include "harness/allocations.hpp"

#include <barrier>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <thread>

#include "tests/support/heap_growth.hpp"

namespace {

/// Past the optimizer, which may leave out a new that is followed by its delete.
void new_and_delete() {
  ::operator delete(::operator new(64));
}

void malloc_and_free() {
  void* volatile memory = std::malloc(64);
  std::free(memory);
}

/// Allocates as it is destroyed, as a late thread-local container would.
struct LateCaller {
  ~LateCaller() { new_and_delete(); }
  void touch() const {}
};
thread_local const LateCaller late_caller;

TEST(Allocations, AreCountedInDestructorsOfTheThreadInAnyOrder) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer has operators of its own";
  std::barrier step{2};
  std::thread early{[&step] {
    late_caller.touch();  // made first, hence destroyed last
    step.arrive_and_wait();
    step.arrive_and_wait();
    new_and_delete();
  }};
  step.arrive_and_wait();
  const auto before = *harness::allocations();
  step.arrive_and_wait();
  early.join();
  EXPECT_EQ(*harness::allocations() - before, 2U);
}

TEST(Allocations, SayHowManyBytesWereAskedFor) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer has operators of its own";
  const auto calls = *harness::allocations();
  const auto bytes = *harness::allocated_bytes();
  new_and_delete();
  ::operator delete (::operator new (3, std::align_val_t{64}), std::align_val_t{64});
  EXPECT_EQ(*harness::allocations() - calls, 2U);
  EXPECT_EQ(*harness::allocated_bytes() - bytes, 64U + 3U);
}

TEST(Allocations, AreCountedWithoutAllocating) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer has operators of its own";
  (void)test::heap_growth(&malloc_and_free);  // the arenas themselves
  const std::size_t own = test::heap_growth(&malloc_and_free);
  EXPECT_GT(own, 0U);  // each thread has a cache
  EXPECT_EQ(test::heap_growth(&new_and_delete), own);
}

}  // namespace
