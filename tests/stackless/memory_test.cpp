// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <malloc.h>

#include "harness/allocations.hpp"
#include "stackless/backend.hpp"

namespace stackless {
namespace {

// ---- sizes

struct Shared {
  std::size_t awake = 0;
};

/// The waiting task that memory is measured with: as small as one can be that does something.
class Sleeper : Immovable {
 public:
  using Output = void;

  Sleeper(Shared& shared, std::uint64_t index, io::TimePoint until)
      : shared_{&shared}, index_{index}, sleep_{until} {}

  Poll<> poll(Context& context) {
    if (sleep_.poll(context).is_pending()) return pending;
    shared_->awake += state_ + index_ - index_ + 1;
    return ready;
  }

 private:
  Shared* shared_;
  std::uint64_t index_;
  Sleep sleep_;
  std::uint8_t state_ = 0;
};

Async<> sleeper(Shared& shared, std::uint64_t index, io::TimePoint until) {
  co_await sleep_until(until);
  shared.awake += index - index + 1;
}

static_assert(sizeof(Waker) == sizeof(void*));
static_assert(sizeof(Poll<>) == 1);
static_assert(sizeof(Sleep) <= 40);
static_assert(sizeof(Task) <= 64);
static_assert(sizeof(DetachedTask<Sleeper>) <= 136);
static_assert(sizeof(DetachedTask<Async<>>) <= 72);
static_assert(sizeof(Event) <= 48);

// ---- heap

constexpr std::size_t tasks = 10'000;

/// Bytes in use by malloc, its own headers included.
std::size_t heap_bytes() {
  return ::mallinfo2().uordblks;
}

/// Spawns sleepers, and tells how many bytes of heap each takes once all sleep.
template <class Make>
std::size_t heap_bytes_per_task(Make make) {
  Executor executor;
  Shared shared;
  const io::TimePoint until = io::Clock::now() + std::chrono::hours{1};
  const std::size_t before = heap_bytes();
  for (std::size_t i = 0; i < tasks; ++i) {
    EXPECT_FALSE(executor.spawn([&] { return make(shared, i, until); }));
  }
  EXPECT_FALSE(executor.spawn([&]() -> Async<> {
    return [](Executor& to_stop) -> Async<> {
      to_stop.stop();
      co_return;
    }(executor);
  }));
  executor.run();
  EXPECT_EQ(executor.reactor().timers().size(), tasks);
  return (heap_bytes() - before) / tasks;
}

#define SKIP_UNDER_SANITIZERS() \
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer's allocator counts differently"

TEST(Memory, ASleepingFutureTakesOneSmallAllocation) {
  SKIP_UNDER_SANITIZERS();
  const auto make = [](Shared& shared, std::uint64_t index, io::TimePoint until) {
    return Sleeper{shared, index, until};
  };
  EXPECT_LE(heap_bytes_per_task(make), 160U);
}

TEST(Memory, ASleepingCoroutineTakesTwoSmallAllocations) {
  SKIP_UNDER_SANITIZERS();
  EXPECT_LE(heap_bytes_per_task(&sleeper), 250U);
}

TEST(Memory, SpawningAFutureIsOneAllocation) {
  SKIP_UNDER_SANITIZERS();
  Executor executor;
  Shared shared;
  const std::uint64_t before = *harness::allocations();
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_FALSE(executor.spawn([&] { return Sleeper{shared, i, io::TimePoint{}}; }));
  }
  EXPECT_EQ(*harness::allocations() - before, 10U);
  executor.run();
  EXPECT_EQ(*harness::allocations() - before, 10U);
  EXPECT_EQ(shared.awake, 10U);
}

Async<> pass_on(Event& mine, Event& next, int rounds, std::uint64_t& allocations) {
  for (int i = 0; i < rounds; ++i) {
    if (i == 10) allocations = harness::allocations().value_or(0);
    co_await mine.wait();
    next.set();
  }
}

TEST(Memory, HandingOverAllocatesNothing) {
  SKIP_UNDER_SANITIZERS();
  Executor executor;
  Event one{executor};
  Event other{executor};
  std::uint64_t before = 0;
  ASSERT_FALSE(executor.spawn([&] { return pass_on(one, other, 1000, before); }));
  ASSERT_FALSE(executor.spawn([&] { return pass_on(other, one, 1000, before); }));
  one.set();
  executor.run();
  EXPECT_EQ(*harness::allocations(), before);
}

}  // namespace
}  // namespace stackless
