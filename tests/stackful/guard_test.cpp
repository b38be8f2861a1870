// SPDX-License-Identifier: BSL-1.0
#include "stackful/guard.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <optional>
#include <sys/mman.h>
#include <system_error>
#include <vector>

#include "stackful/scheduler.hpp"
#include "stackful/stack.hpp"
#include "tests/stackful/child.hpp"
#include "tests/stackful/deep_calls.hpp"

namespace {

using stackful::Guard;

class Guarded : public testing::TestWithParam<Guard> {
 protected:
  void SetUp() override {
    if (GetParam() == Guard::madvise && !stackful::lightweight_guards_work()) {
      GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL (Linux 6.13)";
    }
  }
};

TEST_P(Guarded, TheByteBelowTheStackFaults) {
  stackful::StackPool pool{{.guard = GetParam()}};
  std::error_code error;
  const stackful::Stack stack = pool.take(error);
  ASSERT_FALSE(error) << error.message();
  volatile std::byte* const lowest = stack.lowest;

  const std::optional<int> inside = status_of_child([&] { lowest[0] = std::byte{1}; });
  ASSERT_TRUE(inside.has_value());
  EXPECT_TRUE(WIFEXITED(*inside));

  const std::optional<int> below = status_of_child([&] { lowest[-1] = std::byte{1}; });
  ASSERT_TRUE(below.has_value());
  EXPECT_TRUE(WIFSIGNALED(*below) && WTERMSIG(*below) == SIGSEGV);
}

TEST_P(Guarded, TheGuardStandsAfterTheStackWasUsedAgain) {
  stackful::StackPool pool{{.guard = GetParam()}};
  std::error_code error;
  pool.give_back(pool.take(error));
  const stackful::Stack stack = pool.take(error);
  ASSERT_FALSE(error) << error.message();
  volatile std::byte* const lowest = stack.lowest;
  const std::optional<int> below = status_of_child([&] { lowest[-1] = std::byte{1}; });
  ASSERT_TRUE(below.has_value());
  EXPECT_TRUE(WIFSIGNALED(*below) && WTERMSIG(*below) == SIGSEGV);
}

TEST_P(Guarded, AFiberThatRunsTooDeepFaults) {
  const std::optional<int> status = status_of_child([] {
    stackful::Scheduler scheduler{{.stack_bytes = 16 * 1024, .guard = GetParam()}};
    if (scheduler.spawn([] { static_cast<void>(descend(1000)); })) std::_Exit(2);
    scheduler.run();
  });
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGSEGV);
}

INSTANTIATE_TEST_SUITE_P(Every, Guarded, testing::Values(Guard::mprotect, Guard::madvise),
                         [](const auto& each) { return std::string{name(each.param)}; });

TEST(LightestGuard, IsTheOneWithoutMappingsWhereTheKernelHasIt) {
  EXPECT_EQ(stackful::lightest_guard(),
            stackful::lightweight_guards_work() ? Guard::madvise : Guard::mprotect);
  EXPECT_EQ(stackful::Options{}.guard, stackful::lightest_guard());
}

TEST(UnguardedStack, TheByteBelowIsTheNeighbours) {
  stackful::StackPool pool{{.guard = Guard::none, .colouring = false}};
  std::error_code error;
  const stackful::Stack lower = pool.take(error);
  ASSERT_FALSE(error);
  const stackful::Stack upper = pool.take(error);
  ASSERT_FALSE(error);
  EXPECT_EQ(upper.lowest, lower.top);
}

TEST(MappingLimit, RefusesBeforeTheProcessBreaks) {
  std::error_code error;
  const stackful::MappingCount before = stackful::count_mappings(error);
  ASSERT_FALSE(error) << error.message();
  if (before.limit > 200'000) GTEST_SKIP() << "vm.max_map_count is out of reach: " << before.limit;

  stackful::StackPool pool{{.stack_bytes = 4096, .guard = Guard::mprotect}};
  while (!error) pool.take(error);
  EXPECT_EQ(error, stackful::StackError::max_map_count);
  EXPECT_EQ(error, std::errc::not_enough_memory);

  const stackful::MappingCount full = stackful::count_mappings(error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_LE(full.reached, full.limit);
  EXPECT_GE(full.reached + 2 * stackful::MappingBudget::reserve, full.limit)
      << "refused long before the limit";
  void* const another = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(another, MAP_FAILED);
  EXPECT_EQ(munmap(another, 4096), 0);
}

TEST(MappingLimit, AStackCostsTheMappingsItsGuardSaysAndNoMore) {
  for (const Guard guard : {Guard::none, Guard::mprotect, Guard::madvise}) {
    if (guard == Guard::madvise && !stackful::lightweight_guards_work()) continue;
    stackful::StackPool pool{{.guard = guard}};
    std::error_code error;
    pool.take(error);
    const std::size_t before = stackful::count_mappings(error).reached;
    for (int i = 0; i != 100; ++i) pool.take(error);
    const std::size_t after = stackful::count_mappings(error).reached;
    ASSERT_FALSE(error) << error.message();
    EXPECT_EQ(after - before, guard == Guard::mprotect ? 200U : 0U) << name(guard);
  }
}

}  // namespace
