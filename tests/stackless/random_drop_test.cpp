// SPDX-License-Identifier: BSL-1.0
#include "tests/stackless/random_drop.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

namespace stackless {
namespace {

using test::Dice;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

using Handles = std::vector<JoinHandle<void>>;

void abort_all(Handles& handles) {
  for (JoinHandle<void>& handle : handles) handle.abort();
}

Async<> abort_as_a_task(Handles& handles) {
  abort_all(handles);
  co_return;
}

template <class W>
Async<> stop_after(W& world, unsigned turns) {
  for (; turns != 0; --turns) co_await yield();
  world.executor->stop();
}

/// Tasks of one executor, a round a seed.
template <class W>
class RandomDrop : public testing::Test {
 protected:
  template <class Drop>
  void each_round(bool all_abort, Drop drop) {
    for (unsigned seed = 0; seed < 150; ++seed) {
      SCOPED_TRACE(seed);
      begin(seed, all_abort);
      drop();
      end();
    }
  }
  /// Lets the tasks get anywhere.
  void begin(unsigned seed, bool all_abort) {
    Dice dice{seed};
    world.emplace().all_abort = all_abort;
    spawn_chaos(dice);
    for (unsigned stops = 1 + dice.below(3); stops != 0; --stops) {
      ASSERT_FALSE(world->executor->spawn([&] { return stop_after(*world, dice.below(200)); }));
      world->executor->run();
    }
  }
  void spawn_chaos(Dice& dice) {
    for (int task = 0; task < 24; ++task) {
      std::error_code error;
      const typename W::Counted counted{world->alive};
      handles.push_back(world->executor->spawn_joinable(
          [&] { return chaos(*world, dice.another(), counted, 2); }, error));
      ASSERT_FALSE(error);
    }
  }
  /// Those that have been aborted end; nothing else has to be done for it.
  void run_to_the_end() {
    world->executor->run();
    EXPECT_EQ(world->executor->live_tasks(), 0U);
    EXPECT_EQ(reactor().timers().size(), 0U);
    EXPECT_TRUE(world->semaphore.try_acquire(2)) << "a waiter holds back a permit";
    EXPECT_EQ(world->alive, 0);
  }
  void end() {
    world->executor.reset();
    EXPECT_EQ(world->alive, 0);
    handles.clear();
    world.reset();
    EXPECT_EQ(open_descriptors(), descriptors);
  }
  io::Reactor& reactor() {
    if constexpr (W::is_crew) {
      return world->executor->here().reactor();
    } else {
      return world->executor->reactor();
    }
  }

  const std::size_t descriptors = open_descriptors();
  std::optional<W> world;
  Handles handles;
};

struct NameOfWorld {
  template <class W>
  static const char* GetName(int) {
    return W::is_crew ? "Crew" : "OneWorker";
  }
};
using Worlds = testing::Types<test::LocalWorld, test::CrewWorld>;
TYPED_TEST_SUITE(RandomDrop, Worlds, NameOfWorld);

// None leaves a task, timer, waiter or descriptor.

TYPED_TEST(RandomDrop, WithTheExecutor) {
  this->each_round(false, [] {});
}

TYPED_TEST(RandomDrop, ByATaskThatAborts) {
  this->each_round(true, [this] {
    ASSERT_FALSE(this->world->executor->spawn([this] { return abort_as_a_task(this->handles); }));
    this->run_to_the_end();
  });
}

TYPED_TEST(RandomDrop, ByAThreadThatAbortsMeanwhile) {
  this->each_round(true, [this] {
    const std::jthread aborting{[this] {
      abort_all(this->handles);
    }};
    this->run_to_the_end();
  });
}

TYPED_TEST(RandomDrop, WithTheExecutorWhileAThreadAborts) {
  this->each_round(false, [this] {
    const std::jthread aborting{[this] {
      abort_all(this->handles);
    }};
    this->world->executor.reset();
  });
}

}  // namespace
}  // namespace stackless
