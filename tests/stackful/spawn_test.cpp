// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>

#include "tests/stackful/scheduler_fixture.hpp"

namespace {

using stackful::Scheduler;

TEST_F(SchedulerTest, AnEndedFibersStackIsUsedByTheNextSpawn) {
  spawn([this] {
    for (int i = 0; i != 1000; ++i) {
      spawn([] {});
      scheduler_.yield();
    }
  });
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 2U);
}

TEST_F(SchedulerTest, TheBodyIsDestroyedOnceBeforeTheNextFiberRuns) {
  struct Witness {
    explicit Witness(SchedulerTest& test_case) : test{&test_case} {}
    Witness(Witness&& other) noexcept : test{std::exchange(other.test, nullptr)} {}
    ~Witness() {
      if (test != nullptr) test->note("destroyed");
    }
    SchedulerTest* test;
  };
  spawn([this, witness = Witness{*this}] { note("body"); });
  spawn([this] { note("next"); });
  scheduler_.run();
  EXPECT_EQ(trace_, "body destroyed next");
}

TEST_F(SchedulerTest, AFiberThatNeverStartsIsDropped) {
  const auto owned = std::make_shared<int>(1);
  {
    Scheduler never_run{{}};
    ASSERT_FALSE(never_run.spawn([owned] {}));
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(SchedulerTest, ABodyThatThrowsWhenItIsCopiedCreatesNothing) {
  struct Unlucky {
    Unlucky() = default;
    Unlucky(const Unlucky&) { throw std::runtime_error{"no copy today"}; }
    void operator()() const {}
  };
  const Unlucky body;
  EXPECT_THROW(static_cast<void>(scheduler_.spawn(body)), std::runtime_error);
  EXPECT_EQ(scheduler_.live_tasks(), 0U);
  spawn([] {});
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 1U);
}

TEST_F(SchedulerTest, ABodyTooLargeForTheStackIsRefused) {
  Scheduler small{{.stack_bytes = 4096}};
  std::array<char, 8192> cargo{};
  EXPECT_EQ(small.spawn([cargo] { static_cast<void>(cargo); }),
            stackful::StackError::stack_too_small);
  EXPECT_EQ(small.live_tasks(), 0U);
}

TEST_F(SchedulerTest, EscapingExceptionsTerminate) {
  spawn([] { throw std::runtime_error{"nobody joins me"}; });
  EXPECT_DEATH(scheduler_.run(), "nobody joins me");
}

}  // namespace
