// SPDX-License-Identifier: BSL-1.0
#include "stackful/overflow.hpp"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>

#include "stackful/scheduler.hpp"
#include "tests/stackful/child.hpp"
#include "tests/stackful/deep_calls.hpp"
#include "tests/stackful/overflow_fixture.hpp"

namespace {

using stackful::Guard;
using stackful::Overflow;
using stackful::OverflowWatch;
using stackful::Scheduler;
using stackful::Stack;
using stackful::StackPool;

/// A fault that is nobody's overflow.
void touch_a_forbidden_page() {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) std::_Exit(2);
  *static_cast<volatile int*>(page) = 1;
}

void end_as_unexpected(void*, const Overflow&) noexcept {
  std::_Exit(found_something_else);
}

void do_nothing(void*, const Overflow&) noexcept {}

/// Five fibers; the third runs out of its stack, unless `levels` fit.
void overrun_the_third(Guard guard, std::size_t levels, OverflowWatch::Report report) {
  Scheduler scheduler{{.stack_bytes = 16 * 1024, .guard = guard}};
  for (int i = 0; i != 5; ++i) {
    const std::size_t depth = i == 2 ? levels : 1;
    if (scheduler.spawn([depth] { static_cast<void>(descend(depth)); })) std::_Exit(2);
  }
  const OverflowWatch watch{scheduler.stacks(), report, nullptr};
  scheduler.run();
}

TEST_P(EveryGuard, TellsWhichFiberRanOut) {
  expect_exit(status_of_child([] { overrun_the_third(GetParam(), 1000, &end_with_whose); }), found);
}

TEST_P(EveryGuard, SaysNothingOfCallsThatFit) {
  expect_exit(status_of_child([] { overrun_the_third(GetParam(), 2, &end_as_unexpected); }), 0);
}

TEST_P(EveryGuard, AReportThatReturnsLetsTheFaultTakeItsCourse) {
  expect_segmentation_fault(
      status_of_child([] { overrun_the_third(GetParam(), 1000, &do_nothing); }));
}

TEST_P(EveryGuard, FindsTheOverflowOfAStackUsedAgain) {
  expect_exit(status_of_child([] {
                Scheduler scheduler{{.stack_bytes = 16 * 1024, .guard = GetParam()}};
                const OverflowWatch watch{scheduler.stacks(), &end_with_whose, nullptr};
                for (const std::size_t levels : {5U, 1000U}) {
                  if (scheduler.spawn([levels] { static_cast<void>(descend(levels)); })) {
                    std::_Exit(2);
                  }
                  scheduler.run();
                }
              }),
              found);
}

TEST_P(EveryGuard, WatchesEachThreadThatAsksForIt) {
  if (!children_may_start_threads) GTEST_SKIP() << "ThreadSanitizer: no threads after a fork";
  expect_exit(status_of_child([] {
                const StackPool none{{}};
                const OverflowWatch here{none, &end_as_unexpected, nullptr};
                std::thread{[] {
                  overrun_the_third(GetParam(), 1000, &end_with_whose);
                }}.join();
              }),
              found);
}

INSTANTIATE_TEST_SUITE_P(OverflowWatch, EveryGuard,
                         testing::Values(Guard::mprotect, Guard::madvise),
                         [](const auto& each) { return std::string{name(each.param)}; });

TEST(OverflowWatchOfOneStack, WatchesAThreadsOwn) {
  if (!children_may_start_threads) GTEST_SKIP() << "ThreadSanitizer: no threads after a fork";
  expect_exit(
      status_of_child([] {
        std::thread{[] {
          pthread_attr_t attributes;
          void* lowest = nullptr;
          std::size_t bytes = 0;
          if (pthread_getattr_np(pthread_self(), &attributes) != 0) std::_Exit(2);
          if (pthread_attr_getstack(&attributes, &lowest, &bytes) != 0) std::_Exit(2);
          const Stack own{static_cast<std::byte*>(lowest) + bytes, static_cast<std::byte*>(lowest)};
          const auto report = [](void*, const Overflow& overflow) noexcept {
            std::_Exit(lies_in_guard(overflow) ? found : found_something_else);
          };
          const OverflowWatch watch{own, report, nullptr};
          static_cast<void>(descend(1'000'000));
        }}.join();
      }),
      found);
}

TEST(OverflowWatch, ClaimsNoOtherFault) {
  StackPool pool{{}};
  std::error_code error;
  ASSERT_TRUE(pool.take(error));
  expect_segmentation_fault(status_of_child([&] {
    const OverflowWatch watch{pool, &end_as_unexpected, nullptr};
    touch_a_forbidden_page();
  }));
}

TEST(OverflowWatch, ClaimsNoSignalThatSomebodySent) {
  StackPool pool{{}};
  expect_segmentation_fault(status_of_child([&] {
    const OverflowWatch watch{pool, &end_as_unexpected, nullptr};
    static_cast<void>(std::raise(SIGSEGV));
  }));
}

TEST(OverflowWatch, LeavesOtherFaultsToWhoeverHandledThemBefore) {
  StackPool pool{{}};
  expect_exit(status_of_child([&] {
                if (std::signal(SIGSEGV, [](int) { std::_Exit(found); }) == SIG_ERR) std::_Exit(2);
                const OverflowWatch watch{pool, &end_as_unexpected, nullptr};
                touch_a_forbidden_page();
              }),
              found);
}

TEST(OverflowWatch, LeavesSignalAndItsStackAsTheyWere) {
  const auto in_force = [] {
    struct sigaction action {};
    EXPECT_EQ(sigaction(SIGSEGV, nullptr, &action), 0);
    stack_t stack{};
    EXPECT_EQ(sigaltstack(nullptr, &stack), 0);
    return std::array<const void*, 2>{reinterpret_cast<const void*>(action.sa_handler),
                                      stack.ss_sp};
  };
  const auto before = in_force();
  {
    const StackPool pool{{}};
    const OverflowWatch watch{pool, &do_nothing, nullptr};
    EXPECT_NE(in_force(), before);
  }
  EXPECT_EQ(in_force(), before);
}

TEST(OverflowWatch, IsOneAThread) {
  const StackPool pool{{}};
  const OverflowWatch watch{pool, &do_nothing, nullptr};
  EXPECT_THROW((OverflowWatch{pool, &do_nothing, nullptr}), std::logic_error);
}

}  // namespace
