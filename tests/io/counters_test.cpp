// SPDX-License-Identifier: BSL-1.0
#include "io/counters.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <thread>
#include <vector>

#include "tests/support/heap_growth.hpp"

namespace {

using io::SystemCall;

TEST(Counters, StartAtWhatWasThere) {
  const io::SystemCalls before = io::system_calls();
  io::count(SystemCall::read);
  io::count(SystemCall::read);
  io::count(SystemCall::write);
  const io::SystemCalls made = io::system_calls() - before;
  EXPECT_EQ(made[SystemCall::read], 2U);
  EXPECT_EQ(made[SystemCall::write], 1U);
  EXPECT_EQ(made[SystemCall::accept], 0U);
}

TEST(Counters, KeepTheCallsOfThreadsThatHaveEnded) {
  constexpr unsigned threads = 8;
  constexpr unsigned calls = 20'000;
  const io::SystemCalls before = io::system_calls();
  {
    std::vector<std::jthread> crowd;
    for (unsigned i = 0; i != threads; ++i) {
      crowd.emplace_back([] {
        for (unsigned call = 0; call != calls; ++call) io::count(SystemCall::wait);
      });
    }
    // Asked while they run: never more than there will be, never less than a moment ago.
    std::uint64_t last = 0;
    for (int i = 0; i != 100; ++i) {
      const std::uint64_t now = (io::system_calls() - before)[SystemCall::wait];
      EXPECT_GE(now, last);
      EXPECT_LE(now, threads * calls);
      last = now;
    }
  }
  EXPECT_EQ((io::system_calls() - before)[SystemCall::wait], threads * calls);
}

TEST(Counters, OneSharedByAll) {
  const io::SystemCalls before = io::system_calls();
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i != 4; ++i) {
      crowd.emplace_back([] {
        for (int call = 0; call != 1000; ++call) io::count_shared(SystemCall::wake);
      });
    }
  }
  EXPECT_EQ((io::system_calls() - before)[SystemCall::wake], 4000U);
}

/// Counts as it is destroyed, as a thread-local stream would when it closes late.
struct LateCaller {
  ~LateCaller() { io::count(SystemCall::registration); }
  void touch() const {}
};
thread_local const LateCaller late_caller;

TEST(Counters, WorkInDestructorsOfTheThreadInAnyOrder) {
  const io::SystemCalls before = io::system_calls();
  std::thread{[] {
    late_caller.touch();  // made first, hence destroyed after this thread's tally has been retired
    io::count(SystemCall::registration);
  }}.join();
  std::thread{[] {
    io::count(SystemCall::registration);
    late_caller.touch();  // made last, hence destroyed before
  }}.join();
  std::thread{[] {
    late_caller.touch();
  }}.join();  // its first call is its last act
  EXPECT_EQ((io::system_calls() - before)[SystemCall::registration], 5U);
}

/// A sanitizer's own allocator tells mallinfo2 nothing.
bool heap_is_visible() {
  const std::size_t before = mallinfo2().uordblks;
  void* volatile block = std::malloc(50'000);  // more than the thread's cache would keep
  const bool visible = mallinfo2().uordblks > before;
  std::free(block);
  return visible;
}

TEST(Counters, CostAThreadNoAllocation) {
  if (!heap_is_visible()) GTEST_SKIP() << "a sanitizer's allocator is in the place of malloc";
  EXPECT_EQ(test::heap_growth([] { io::count(SystemCall::wait); }), 0U);
}

}  // namespace
