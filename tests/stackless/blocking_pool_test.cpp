// SPDX-License-Identifier: BSL-1.0
#include "stackless/blocking_pool.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

#include "harness/allocations.hpp"
#include "stackless/coroutine.hpp"
#include "stackless/executor.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::SharedCounted;

/// Runs the coroutine that `make` returns as the only task.
template <class Make>
void as_task(Make make) {
  Executor executor;
  ASSERT_FALSE(executor.spawn(make));
  executor.run();
}

template <class Work>
auto spawn(BlockingPool& pool, Work work) {
  std::error_code error;
  auto handle = pool.spawn_blocking(std::move(work), error);
  EXPECT_FALSE(error) << error.message();
  return handle;
}

Async<> join_an_answer(BlockingPool& pool) {
  const std::thread::id here = std::this_thread::get_id();
  auto handle = spawn(pool, [here] {
    EXPECT_NE(std::this_thread::get_id(), here);
    return std::make_unique<int>(42);
  });
  EXPECT_EQ(*(co_await handle.join()).take(), 42);
}

TEST(BlockingPool, BringsTheOutput) {
  BlockingPool pool;
  as_task([&] { return join_an_answer(pool); });
}

Async<> join_a_failure(BlockingPool& pool) {
  auto handle = spawn(pool, [] { throw std::runtime_error{"failed"}; });
  EXPECT_THROW((co_await handle.join()).take(), std::runtime_error);
}

TEST(BlockingPool, BringsAnException) {
  BlockingPool pool;
  as_task([&] { return join_a_failure(pool); });
}

Async<> others_go_on(BlockingPool& pool) {
  std::latch others_went_on{1};
  auto handle = spawn(pool, [&] { others_went_on.wait(); });
  for (int turn = 0; turn < 100; ++turn) co_await yield();
  others_went_on.count_down();
  EXPECT_TRUE((co_await handle.join()).has_value());
}

TEST(BlockingPool, OtherTasksGoOnMeanwhile) {
  BlockingPool pool;
  as_task([&] { return others_go_on(pool); });
}

/// A pool of one thread that is kept busy until `release`.
struct BusyPool : testing::Test {
  ~BusyPool() override { release.count_down(); }
  void keep_busy() {
    spawn(pool, [this] {
      begun.count_down();
      release.wait();
    }).detach();
    begun.wait();
  }
  std::latch begun{1};
  std::latch release{1};
  int alive = 0;
  BlockingPool pool{{.threads = 1, .queued_jobs = 2}};
};

Async<> abort_before_it_begins(BlockingPool& pool, int& alive) {
  auto handle = spawn(pool, [counted = Counted{alive}] { ADD_FAILURE() << "it was aborted"; });
  EXPECT_EQ(alive, 1);
  handle.abort();
  EXPECT_EQ(alive, 0) << "the work is dropped at once";
  EXPECT_TRUE((co_await handle.join()).was_cancelled());
}

TEST_F(BusyPool, AbortedBeforeItBeginsItNeverDoes) {
  keep_busy();
  as_task([&] { return abort_before_it_begins(pool, alive); });
}

TEST_F(BusyPool, RefusesMoreThanItsQueueHolds) {
  keep_busy();
  for (int job = 0; job < 2; ++job) spawn(pool, [] {}).detach();
  std::error_code error;
  auto handle = pool.spawn_blocking([counted = Counted{alive}] {}, error);
  EXPECT_EQ(error, std::errc::resource_unavailable_try_again);
  EXPECT_FALSE(handle);
  EXPECT_EQ(alive, 0);
}

TEST_F(BusyPool, AbortedJobsTakeNoRoom) {
  keep_busy();
  auto kept = spawn(pool, [] {});
  for (int job = 0; job < 100; ++job) spawn(pool, [] {}).abort();
  auto last = spawn(pool, [] {});
  std::error_code error;
  EXPECT_FALSE(pool.spawn_blocking([] {}, error));
  EXPECT_EQ(error, std::errc::resource_unavailable_try_again);
}

Async<> abort_what_runs(JoinHandle<int>& handle, std::latch& release) {
  handle.abort();
  release.count_down();
  EXPECT_EQ((co_await handle.join()).take(), 1) << "what runs cannot be stopped";
}

TEST_F(BusyPool, WhatHasBegunEnds) {
  std::latch running{1};
  std::latch go_on{1};
  auto handle = spawn(pool, [&] {
    running.count_down();
    go_on.wait();
    return 1;
  });
  running.wait();
  as_task([&] { return abort_what_runs(handle, go_on); });
}

TEST(BlockingPoolEnd, CancelsWhatHasNotBegun) {
  std::optional<BlockingPool> pool{std::in_place, BlockingPool::Options{.threads = 1}};
  std::latch begun{1};
  std::atomic<int> alive{0};  // the pool's thread counts as well
  auto first = spawn(*pool, [&] { begun.count_down(); });
  begun.wait();
  std::vector<JoinHandle<void>> handles;
  for (int job = 0; job < 100; ++job) {
    handles.push_back(spawn(*pool, [counted = SharedCounted{alive}] {}));
  }
  pool.reset();
  EXPECT_EQ(alive.load(), 0);
  as_task([&]() -> Async<> {
    return [](std::vector<JoinHandle<void>>& all) -> Async<> {
      for (JoinHandle<void>& handle : all) static_cast<void>(co_await handle.join());
    }(handles);
  });
}

/// A job that spawns another one again and again, until it is refused.
std::error_code spawn_until_refused(BlockingPool& pool, std::atomic<int>& alive) {
  std::error_code error;
  while (!error) {
    auto handle = pool.spawn_blocking([counted = SharedCounted{alive}] {}, error);
    EXPECT_NE(static_cast<bool>(handle), static_cast<bool>(error));
    if (error == std::errc::resource_unavailable_try_again) error.clear();
  }
  return error;
}

TEST(BlockingPoolEnd, RefusesWhatItsJobsSpawnMeanwhile) {
  for (const unsigned threads : {1U, 2U, 64U}) {
    std::atomic<int> alive{0};
    std::error_code refused;
    {
      BlockingPool pool{{.threads = threads, .queued_jobs = 100}};
      std::latch begun{1};
      spawn(pool, [&] {
        begun.count_down();
        refused = spawn_until_refused(pool, alive);
      }).detach();
      begun.wait();
    }
    EXPECT_EQ(refused, std::errc::operation_canceled);
    EXPECT_EQ(alive, 0);
  }
}

/// Takes all memory that this process can still have, down to the last small block.
void take_all_memory() {
  const rlimit no_more{0, 0};
  ::setrlimit(RLIMIT_AS, &no_more);
  std::size_t bytes = std::size_t{1} << 20;
  while (bytes != 0) {
    if (::operator new(bytes, std::nothrow) == nullptr) bytes -= bytes > 2048 ? bytes / 2 : 16;
  }
}

/// For a process of its own. Success: what could not be spawned has left nothing behind.
[[noreturn]] void spawn_with_so_little_memory(std::size_t bytes) {
  constexpr std::size_t spare = 4096;
  BlockingPool pool;
  int alive = 0;
  void* const block = ::operator new(spare);
  take_all_memory();
  ::operator delete(block);
  static_cast<void>(::operator new(spare - bytes, std::nothrow));
  std::error_code error;
  try {
    pool.spawn_blocking([counted = Counted{alive}] {}, error).detach();
  } catch (...) {
    std::_Exit(EXIT_FAILURE);
  }
  std::_Exit(!error || alive == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

TEST(BlockingPoolInNeed, LeavesNothingBehindWhenMemoryIsMissing) {
  if (!harness::allocations()) GTEST_SKIP() << "a sanitizer needs memory of its own";
  for (std::size_t bytes = 0; bytes <= 512; bytes += 16) {
    EXPECT_EXIT(spawn_with_so_little_memory(bytes), testing::ExitedWithCode(EXIT_SUCCESS), "")
        << bytes;
  }
}

Async<> join_many(BlockingPool& pool, int jobs) {
  std::vector<JoinHandle<int>> handles;
  for (int job = 0; job < jobs; ++job) handles.push_back(spawn(pool, [job] { return job; }));
  for (int job = 0; job < jobs; ++job) {
    EXPECT_EQ((co_await handles[static_cast<std::size_t>(job)].join()).take(), job);
  }
}

TEST(BlockingPool, StartsNoMoreThreadsThanItMay) {
  BlockingPool pool{{.threads = 3, .queued_jobs = 1000}};
  as_task([&] { return join_many(pool, 1000); });
  EXPECT_GE(pool.threads(), 1U);
  EXPECT_LE(pool.threads(), 3U);
}

}  // namespace
}  // namespace stackless
