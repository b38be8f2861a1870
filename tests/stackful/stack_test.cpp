// SPDX-License-Identifier: BSL-1.0
#include "stackful/stack.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <vector>

namespace {

using stackful::Guard;
using stackful::Stack;
using stackful::StackPool;

std::vector<Stack> take(StackPool& pool, std::size_t count) {
  std::vector<Stack> stacks;
  std::error_code error;
  while (stacks.size() != count && !error) stacks.push_back(pool.take(error));
  EXPECT_FALSE(error) << error.message();
  return stacks;
}

TEST(StackPool, EachStackHasTheBytesAskedForAndIsAlignedForAnyFrame) {
  for (const std::size_t asked : {1U, 4096U, 10'000U, 65'536U, 1'048'576U}) {
    for (const Guard guard : {Guard::none, Guard::mprotect}) {
      StackPool pool{{.stack_bytes = asked, .guard = guard}};
      for (const Stack& stack : take(pool, 3)) {
        EXPECT_GE(stack.bytes(), asked);
        EXPECT_GE(stack.bytes(), pool.stack_bytes());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack.top) % 64, 0U);
        std::fill(stack.lowest, stack.top, std::byte{0xa5});  // all of it can be written
      }
    }
  }
}

TEST(StackPool, StacksDoNotOverlapAcrossSlabs) {
  StackPool pool{{.stack_bytes = 8192}};
  std::vector<Stack> stacks = take(pool, 1000);
  std::sort(stacks.begin(), stacks.end(),
            [](const Stack& a, const Stack& b) { return a.lowest < b.lowest; });
  for (std::size_t i = 1; i != stacks.size(); ++i) {
    EXPECT_LE(stacks[i - 1].top, stacks[i].lowest);
  }
  EXPECT_EQ(pool.created(), 1000U);
}

TEST(StackPool, UsesEndedStacksAgainTheLastOneFirst) {
  StackPool pool{{}};
  std::error_code error;
  const Stack first = pool.take(error);
  const Stack second = pool.take(error);
  pool.give_back(first);
  pool.give_back(second);
  for (const Stack& expected : {second, first}) {
    const Stack again = pool.take(error);
    EXPECT_EQ(again.top, expected.top);
    EXPECT_EQ(again.lowest, expected.lowest);
  }
  EXPECT_EQ(pool.created(), 2U);
}

TEST(StackPool, KnowsHowManyAreLent) {
  StackPool pool{{}};
  const std::vector<Stack> stacks = take(pool, 3);
  EXPECT_EQ(pool.lent(), 3U);
  pool.give_back(stacks[0]);
  pool.give_back_from_elsewhere(stacks[1]);
  EXPECT_EQ(pool.lent(), 1U);
  const std::vector<Stack> again = take(pool, 2);
  EXPECT_EQ(pool.lent(), 3U);
  EXPECT_EQ(pool.created(), 3U);
}

TEST(StackPool, ColouringSpreadsTheTopsEvenlyOverHalfAPage) {
  StackPool pool{{}};
  std::map<std::uintptr_t, int> starts;
  for (const Stack& stack : take(pool, 320)) {
    ++starts[reinterpret_cast<std::uintptr_t>(stack.top) % 4096];
  }
  EXPECT_EQ(starts.size(), 32U);
  for (const auto& [offset, count] : starts) {
    EXPECT_EQ(count, 10) << offset;
    EXPECT_TRUE(offset == 0 || offset > 2048) << offset;
  }
}

TEST(StackPool, WithoutColouringAllTopsStartAlike) {
  StackPool pool{{.colouring = false}};
  std::set<std::uintptr_t> starts;
  for (const Stack& stack : take(pool, 320)) {
    starts.insert(reinterpret_cast<std::uintptr_t>(stack.top) % 4096);
  }
  EXPECT_EQ(starts.size(), 1U);
}

TEST(StackPool, OneTouchedByteMakesOnePageResident) {
  StackPool pool{{.stack_bytes = std::size_t{4} << 20}};  // room enough for a huge page
  for (const Stack& stack : take(pool, 4)) {
    stack.top[-1] = std::byte{1};
    std::vector<unsigned char> resident(stack.bytes() / 4096 + 1);
    ASSERT_EQ(mincore(stack.lowest, stack.bytes(), resident.data()), 0);
    EXPECT_EQ(std::count_if(resident.begin(), resident.end(),
                            [](unsigned char page) { return (page & 1U) != 0; }),
              1);
  }
}

/// What the kernel says of the mapping that an address lies in; empty when it says nothing.
std::string mapping_flags(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps{"/proc/self/smaps"};
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      inside = from <= wanted && wanted < to;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line + ' ';
    }
  }
  return {};
}

// Whatever the machine's mode is: with `always`, one touched byte would make two megabytes
// resident.
TEST(StackPool, AsksForNoHugePages) {
  if (!std::ifstream{"/sys/kernel/mm/transparent_hugepage/enabled"}) {
    GTEST_SKIP() << "this kernel has no huge pages";
  }
  for (const Guard guard : {Guard::none, Guard::mprotect, stackful::lightest_guard()}) {
    StackPool pool{{.guard = guard}};
    const std::vector<Stack> stacks = take(pool, 300);  // of two slabs
    for (const Stack& stack : {stacks.front(), stacks.back()}) {
      EXPECT_NE(mapping_flags(stack.lowest).find(" nh "), std::string::npos) << name(guard);
    }
  }
}

TEST(StackPool, RefusesOptionsThatMakeNoStack) {
  EXPECT_THROW(StackPool{{.stack_bytes = 0}}, std::system_error);
  if (!stackful::lightweight_guards_work()) {
    EXPECT_THROW(StackPool{{.guard = Guard::madvise}}, std::system_error);
  }
}

TEST(StackPool, SaysWhenTheAddressSpaceIsUsedUp) {
  StackPool pool{{.stack_bytes = std::size_t{1} << 44, .guard = Guard::none}};
  std::error_code error;
  const Stack stack = pool.take(error);
  EXPECT_EQ(error, std::errc::not_enough_memory);
  EXPECT_FALSE(stack);
}

}  // namespace
