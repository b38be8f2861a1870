// SPDX-License-Identifier: BSL-1.0
#include "threads/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "io/clock.hpp"

namespace {

std::size_t kernel_threads() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{"/proc/self/task"}, fs::directory_iterator{}));
}

/// Before a test's own: a sanitizer starts one for itself together with the process's first.
std::size_t kernel_threads_at_rest() {
  std::filesystem::path entry;
  std::thread{[&entry] {
    entry = "/proc/self/task/" + std::to_string(::gettid());
  }}.join();
  while (std::filesystem::exists(entry)) std::this_thread::yield();
  return kernel_threads();
}

std::size_t mappings() {
  std::ifstream maps{"/proc/self/maps"};
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>{maps}, std::istreambuf_iterator<char>{}, '\n'));
}

/// Joining returns when a thread has let go of its memory; its entry goes a moment later.
void wait_for_kernel_threads(std::size_t wanted) {
  const io::TimePoint give_up = io::Clock::now() + std::chrono::seconds{10};
  while (kernel_threads() != wanted && io::Clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(kernel_threads(), wanted);
}

TEST(ThreadsScheduler, TheStackAskedForIsTheStackInForce) {
  for (const std::size_t asked : {std::size_t{64} << 10, std::size_t{256} << 10}) {
    threads::Scheduler scheduler{{.stack_bytes = asked}};
    ASSERT_FALSE(scheduler.spawn([] {}));
    scheduler.run();
#if defined(__SANITIZE_THREAD__)
    EXPECT_GE(scheduler.stack_bytes_in_force(), asked);  // the sanitizer makes stacks larger
#else
    EXPECT_EQ(scheduler.stack_bytes_in_force(), asked);
#endif
  }
}

TEST(ThreadsScheduler, RefusesAStackBelowTheMinimum) {
  EXPECT_THROW(threads::Scheduler{{.stack_bytes = 1024}}, std::system_error);
}

TEST(ThreadsScheduler, RefusesWorkersOfItsOwn) {
  EXPECT_THROW(threads::Scheduler{{.workers = 2}}, std::system_error);
}

TEST(ThreadsScheduler, AStackThatCannotBeMappedFailsTheSpawnAndLeavesNothing) {
  threads::Scheduler scheduler{{.stack_bytes = std::size_t{1} << 46}};
  const auto witness = std::make_shared<int>();
  const std::size_t before = kernel_threads_at_rest();
  EXPECT_EQ(scheduler.spawn([witness] {}), std::errc::resource_unavailable_try_again);
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_EQ(scheduler.live_tasks(), 0U);
  EXPECT_EQ(kernel_threads(), before);
  scheduler.run();
}

TEST(ThreadsScheduler, ManyShortLivedThreadsLeaveNoneBehind) {
  const std::size_t before = kernel_threads_at_rest();
  constexpr std::size_t tasks = 3000;
  std::atomic<std::size_t> ran{0};
  threads::Scheduler scheduler;
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_FALSE(scheduler.spawn([&ran] { ++ran; }));
  }
  scheduler.run();
  EXPECT_EQ(ran, tasks);
  EXPECT_EQ(scheduler.live_tasks(), 0U);
  wait_for_kernel_threads(before);
}

TEST(ThreadsScheduler, ThreadsThatEndBeforeRunAreBuriedWithoutIt) {
  constexpr std::size_t tasks = 3000;
  const std::size_t threads_before = kernel_threads_at_rest();
  const std::size_t mappings_before = mappings();
  threads::Scheduler scheduler;
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_FALSE(scheduler.spawn([] {}));
  }
  wait_for_kernel_threads(threads_before);  // nobody has called run()
  // A thread that nobody joins keeps its stack and guard for ever; one that is joined leaves them
  // to the C library's cache of at most 40 MiB.
  EXPECT_LT(mappings(), mappings_before + tasks / 2);
}

TEST(ThreadsScheduler, TheBodyDiesBeforeRunReturns) {
  const auto witness = std::make_shared<int>();
  threads::Scheduler scheduler;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(scheduler.spawn([witness] {}));
  }
  scheduler.run();
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(ThreadsScheduler, TheDestructorWaitsForTasks) {
  std::atomic<bool> ended{false};
  {
    threads::Scheduler scheduler;
    ASSERT_FALSE(scheduler.spawn([&ended] {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
      ended = true;
    }));
  }
  EXPECT_TRUE(ended);
}

TEST(ThreadsScheduler, TasksAreAllAliveAtOnce) {
  constexpr std::size_t tasks = 1000;
  threads::Scheduler scheduler;
  std::atomic<std::size_t> waiting{0};
  for (std::size_t i = 0; i < tasks; ++i) {
    ASSERT_FALSE(scheduler.spawn([&waiting] {
      ++waiting;
      waiting.notify_all();
      for (std::size_t seen = waiting; seen < tasks; seen = waiting) {
        waiting.wait(seen);
      }
    }));
  }
  scheduler.run();
  EXPECT_EQ(waiting, tasks);
}

}  // namespace
