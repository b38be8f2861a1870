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

#include "stackful/runtime.hpp"
#include "stackful/scheduler.hpp"
#include "tests/stackful/child.hpp"
#include "tests/stackful/deep_calls.hpp"

namespace {

using stackful::Canary;
using stackful::Guard;
using stackful::Overflow;
using stackful::OverflowWatch;
using stackful::Runtime;
using stackful::Scheduler;
using stackful::Stack;
using stackful::StackPool;

#if defined(__SANITIZE_THREAD__)
constexpr bool children_may_start_threads = false;  // it gives up on those of a forked process
#else
constexpr bool children_may_start_threads = true;
#endif

/// How children end that found what they should have found.
constexpr int found = 42;
constexpr int found_something_else = 43;

bool lies_in_guard(const Overflow& overflow) {
  return overflow.address < overflow.stack.lowest &&
         overflow.address >= overflow.stack.lowest - 4096;
}

void expect_exit(const std::optional<int>& status, int code) {
  ASSERT_TRUE(status.has_value());
  ASSERT_TRUE(WIFEXITED(*status)) << "signal " << WTERMSIG(*status);
  EXPECT_EQ(WEXITSTATUS(*status), code);
}

void expect_segmentation_fault(const std::optional<int>& status) {
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGSEGV) << *status;
}

/// Whether it was the fiber that runs now.
void end_with_whose(void*, const Overflow& overflow) noexcept {
  const bool own = Scheduler::current()->running().stack().top == overflow.stack.top;
  std::_Exit(own && lies_in_guard(overflow) ? found : found_something_else);
}

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

class EveryGuard : public testing::TestWithParam<Guard> {
 protected:
  void SetUp() override {
    if (GetParam() == Guard::madvise && !stackful::lightweight_guards_work()) {
      GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL (Linux 6.13)";
    }
  }
};

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

/// Ends the process if the stack is not of the calling worker's own pool.
void expect_to_be_far_from_home() {
  const Scheduler& worker = *Scheduler::current();
  if (worker.stacks().find(worker.running().stack().top - 1)) std::_Exit(found_something_else);
}

TEST_P(EveryGuard, FindsTheOverflowOfAStolenFiber) {
  if (!children_may_start_threads) GTEST_SKIP() << "ThreadSanitizer: no threads after a fork";
  expect_exit(
      status_of_child([] {
        Runtime runtime{
            {.stack_bytes = 16 * 1024, .guard = GetParam(), .workers = 2, .stealing = true}};
        runtime.report_overflows(&end_with_whose, nullptr);
        const auto error = runtime.spawn([&] {
          static_cast<void>(runtime.here().spawn([] {
            expect_to_be_far_from_home();
            static_cast<void>(descend(1000));
          }));
          while (true) std::this_thread::yield();  // makes no way: the other has to take it
        });
        if (error) std::_Exit(2);
        runtime.run();
      }),
      found);
}

// While both workers make more stacks.
TEST_P(EveryGuard, FindsTheOverflowOfAFiberDealtToAnotherWorker) {
  if (!children_may_start_threads) GTEST_SKIP() << "ThreadSanitizer: no threads after a fork";
  expect_exit(status_of_child([] {
                Runtime runtime{{.stack_bytes = 16 * 1024, .guard = GetParam(), .workers = 2}};
                runtime.report_overflows(&end_with_whose, nullptr);
                const auto error = runtime.spawn([&] {
                  for (int i = 0; i != 1001; ++i) {
                    const bool last = i == 1000;  // the even ones are the other worker's
                    if (runtime.spawn([last] {
                          if (!last) return Scheduler::current()->yield();
                          expect_to_be_far_from_home();
                          static_cast<void>(descend(1000));
                        })) {
                      std::_Exit(2);
                    }
                  }
                });
                if (error) std::_Exit(2);
                runtime.run();
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

TEST(Canary, LivesWhileCallsFitAndDiesOfAnOverflow) {
  StackPool pool{{.guard = Guard::none, .colouring = false}};
  std::error_code error;
  const Stack below = pool.take(error);
  const Stack stack = pool.take(error);
  ASSERT_FALSE(error) << error.message();
  const Canary canary{stack};
  stack.lowest[Canary::bytes] = std::byte{1};
  EXPECT_TRUE(canary.is_alive());
  below.top[-1] = std::byte{1};  // the neighbour's own business
  EXPECT_TRUE(canary.is_alive());
  stack.lowest[Canary::bytes - 1] = std::byte{1};
  EXPECT_FALSE(canary.is_alive());
}

// The neighbour below is never run again: its control block has been written over.
TEST(Canary, FindsAnUnguardedFibersOverflowAfterwards) {
  for (const std::size_t levels : {4U, 24U}) {
    expect_exit(status_of_child([levels] {
                  Scheduler scheduler{{.stack_bytes = 16 * 1024, .guard = Guard::none}};
                  if (scheduler.spawn([&] { scheduler.park(); })) std::_Exit(2);
                  if (scheduler.spawn([&] {
                        const Canary canary{scheduler.running().stack()};
                        static_cast<void>(descend(levels));
                        const bool alive = canary.is_alive();
                        std::_Exit(alive == (levels == 4) ? found : found_something_else);
                      })) {
                    std::_Exit(2);
                  }
                  scheduler.run();
                }),
                found);
  }
}

}  // namespace
