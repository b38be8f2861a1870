// SPDX-License-Identifier: BSL-1.0
// Overflows of fibers that run on another worker than their stack's pool is of.
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "stackful/runtime.hpp"
#include "tests/stackful/child.hpp"
#include "tests/stackful/deep_calls.hpp"
#include "tests/stackful/overflow_fixture.hpp"

namespace {

using stackful::Guard;
using stackful::Runtime;
using stackful::Scheduler;

using FarFromHome = EveryGuard;

/// Ends the process if the stack is not of the calling worker's own pool.
void expect_to_be_far_from_home() {
  const Scheduler& worker = *Scheduler::current();
  if (worker.stacks().find(worker.running().stack().top - 1)) std::_Exit(found_something_else);
}

TEST_P(FarFromHome, FindsTheOverflowOfAStolenFiber) {
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
TEST_P(FarFromHome, FindsTheOverflowOfAFiberDealtToAnotherWorker) {
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

INSTANTIATE_TEST_SUITE_P(OverflowWatch, FarFromHome,
                         testing::Values(Guard::mprotect, Guard::madvise),
                         [](const auto& each) { return std::string{name(each.param)}; });

}  // namespace
