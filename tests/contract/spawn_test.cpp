// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "tests/contract/contenders.hpp"

namespace contract {
namespace {

template <class C>
struct Spawning : Case<C> {
  using typename Case<C>::Event;
  using typename Case<C>::Script;

  static Script count(std::atomic<std::size_t>& ran) {
    ++ran;
    co_return;
  }

  Script chain(std::size_t links, std::atomic<std::size_t>& ran) {
    ++ran;
    if (links > 1) this->spawn(chain(links - 1, ran));
    co_return;
  }

  Script tree(std::size_t depth, std::atomic<std::size_t>& ran) {
    ++ran;
    if (depth == 0) co_return;
    this->spawn(tree(depth - 1, ran));
    co_await Yield{};
    this->spawn(tree(depth - 1, ran));
  }

  static Script end(Event& ended) {
    ended.set();
    co_return;
  }

  /// Spawns one task after the other, each when the one before has ended.
  Script one_by_one(std::size_t tasks, std::atomic<std::size_t>& ran) {
    Event ended{this->runtime};
    for (std::size_t i = 0; i < tasks; ++i) {
      this->spawn(end(ended));
      co_await Wait{ended};
      ++ran;
    }
  }

  static Script hold(std::shared_ptr<int> witness) {
    co_await Yield{};
    EXPECT_GT(witness.use_count(), 1);
  }
};
TYPED_TEST_SUITE(Spawning, ContendersAndCrews, Names);

TYPED_TEST(Spawning, RunReturnsAtOnceWhenThereAreNoTasks) {
  this->runtime.run();
  this->runtime.run();
}

TYPED_TEST(Spawning, EveryTaskRunsOnce) {
  std::atomic<std::size_t> ran{0};
  for (int i = 0; i < 1000; ++i) {
    this->spawn(this->count(ran));
  }
  this->runtime.run();
  EXPECT_EQ(ran, 1000U);
}

TYPED_TEST(Spawning, ATaskSpawnsTheNextAndEnds) {
  std::atomic<std::size_t> ran{0};
  this->spawn(this->chain(1000, ran));
  this->runtime.run();
  EXPECT_EQ(ran, 1000U);
}

TYPED_TEST(Spawning, TasksSpawnTasksThatSpawnTasks) {
  std::atomic<std::size_t> ran{0};
  this->spawn(this->tree(9, ran));
  this->runtime.run();
  EXPECT_EQ(ran, 1023U);
}

TYPED_TEST(Spawning, AfterOthersHaveEnded) {
  std::atomic<std::size_t> ran{0};
  this->spawn(this->one_by_one(500, ran));
  this->runtime.run();
  EXPECT_EQ(ran, 500U);
}

TYPED_TEST(Spawning, ARuntimeThatHasRunRunsAgain) {
  std::atomic<std::size_t> ran{0};
  for (std::size_t times = 1; times <= 10; ++times) {
    this->spawn(this->chain(10, ran));
    this->runtime.run();
    EXPECT_EQ(ran, 10 * times);
  }
}

TYPED_TEST(Spawning, NothingOfATaskIsLeftWhenRunReturns) {
  const auto witness = std::make_shared<int>();
  for (int i = 0; i < 100; ++i) {
    this->spawn(this->hold(witness));
  }
  this->runtime.run();
  EXPECT_EQ(witness.use_count(), 1);
}

// Where tasks have stacks: one that no address space has room for.
TYPED_TEST(Spawning, WhatCannotBeMadeIsAnErrorAndLeavesNothing) {
  typename TestFixture::Backend::Options options;
  if constexpr (requires { options.stack_bytes; }) {
    options.stack_bytes = std::size_t{1} << 47;
    typename TestFixture::Runtime own{options};
    const auto witness = std::make_shared<int>();
    for (int attempt = 0; attempt < 3; ++attempt) {
      EXPECT_TRUE(TypeParam::spawn(own, this->hold(witness)));
      EXPECT_EQ(witness.use_count(), 1);
      EXPECT_EQ(own.live_tasks(), 0U);
    }
    own.run();
  }
}

TYPED_TEST(Spawning, RuntimesOfSeveralThreadsDoNotMeet) {
  std::vector<std::thread> owners;
  for (int i = 0; i < 4; ++i) {
    owners.emplace_back([] {
      typename TestFixture::Runtime own{TypeParam::options()};
      std::atomic<std::size_t> ran{0};
      for (int task = 0; task < 100; ++task) {
        EXPECT_FALSE(TypeParam::spawn(own, TestFixture::count(ran)));
      }
      own.run();
      EXPECT_EQ(ran, 100U);
    });
  }
  for (std::thread& owner : owners) {
    owner.join();
  }
}

}  // namespace
}  // namespace contract
