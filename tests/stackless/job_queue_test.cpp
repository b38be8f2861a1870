// SPDX-License-Identifier: BSL-1.0
// What a full pool does for one job more, or less, counted in the jobs that it looks at.
#include <atomic>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <latch>
#include <optional>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <vector>

#include "stackless/blocking_pool.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

constexpr std::size_t page = 65536;  // a multiple of any machine's

/// Pages of its own, behind one with the header of its job. Tells where it is.
struct alignas(page) PagedWork {
  explicit PagedWork(std::byte*& told) : place{&told} {}
  PagedWork(PagedWork&& other) noexcept : place{other.place} {
    *place = reinterpret_cast<std::byte*>(this);
  }
  PagedWork& operator=(PagedWork&&) = delete;
  ~PagedWork() = default;
  void operator()() const {}

  std::byte** place;
};

/// A pool of one thread that is kept busy, and whose queue is full.
struct FullPool : testing::Test {
  static constexpr std::size_t capacity = 64;

  FullPool() {
    handles.push_back(pool.spawn_blocking([this] { hold(); }, error));
    begun.wait();
    for (std::byte*& place : places)
      handles.push_back(pool.spawn_blocking(PagedWork{place}, error));
    EXPECT_FALSE(error) << error.message();
  }
  ~FullPool() override { release.count_down(); }
  void hold() {
    begun.count_down();
    release.wait();
  }
  /// What looks at one of the jobs from `first` up to `last` ends the program meanwhile.
  void without_looking(std::size_t first, std::size_t last, const std::function<void()>& act) {
    const auto protect = [&](int protection) {
      for (std::size_t job = first; job != last; ++job) {
        ASSERT_EQ(::mprotect(places[job] - page, page, protection), 0);
      }
    };
    protect(PROT_NONE);
    act();
    protect(PROT_READ | PROT_WRITE);
  }
  void expect_refusal() {
    EXPECT_FALSE(pool.spawn_blocking([] {}, error));
    EXPECT_EQ(error, std::errc::resource_unavailable_try_again);
  }

  std::latch begun{1};
  std::latch release{1};
  std::vector<std::byte*> places = std::vector<std::byte*>(capacity);
  BlockingPool pool{{.threads = 1, .queued_jobs = capacity}};
  std::error_code error;
  std::vector<JoinHandle<void>> handles;  // of the one that holds, then of those that wait
};

TEST_F(FullPool, RefusesWithoutALookAtAnyJob) {
  without_looking(0, capacity, [&] { expect_refusal(); });
}

TEST_F(FullPool, LetsOneGoByALookAtItsNeighbours) {
  without_looking(0, capacity / 2, [&] {
    without_looking(capacity / 2 + 3, capacity - 1, [&] {
      handles[1 + capacity / 2 + 1].abort();
      handles.push_back(pool.spawn_blocking([] {}, error));
      EXPECT_FALSE(error) << "its room is there for another one, which comes behind the last";
      expect_refusal();
    });
  });
}

/// Aborts by a thread of its own, which may come before, while, and after the pool ends.
TEST(JobQueue, LetsAbortAtAnyTimeOfThePool) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> alive{0};
    std::optional<BlockingPool> pool{std::in_place, BlockingPool::Options{.threads = 1}};
    std::vector<JoinHandle<void>> handles;
    std::error_code error;
    for (int job = 0; job < 20; ++job) {
      const auto work = [counted = test::SharedCounted{alive}] {
      };
      handles.push_back(pool->spawn_blocking(work, error));
      ASSERT_FALSE(error) << error.message();
    }
    std::jthread aborter{[&] {
      for (JoinHandle<void>& handle : handles) handle.abort();
    }};
    pool.reset();
    aborter.join();
    for (JoinHandle<void>& handle : handles) handle.abort();
    EXPECT_EQ(alive, 0);
  }
}

}  // namespace
}  // namespace stackless
