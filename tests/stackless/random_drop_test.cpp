// SPDX-License-Identifier: BSL-1.0
// Tasks that wait for one of everything, dropped wherever they happen to stand.
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <random>
#include <sys/socket.h>
#include <vector>

#include "stackless/backend.hpp"
#include "stackless/channel.hpp"
#include "stackless/combinators.hpp"
#include "stackless/notify.hpp"
#include "stackless/semaphore.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// What the tasks of one round share.
struct World {
  explicit World(unsigned seed) : random{seed} {
    for (int i = 0; i < 4; ++i) events.emplace_back(*executor);
  }
  unsigned below(unsigned bound) {
    return std::uniform_int_distribution<unsigned>{0, bound - 1}(random);
  }
  io::TimePoint soon() { return io::Clock::now() + std::chrono::microseconds{below(300)}; }
  Event& event() { return events[below(4)]; }

  std::mt19937 random;
  bool all_abort = false;  ///< a task that is dropped aborts its children
  int alive = 0;
  std::optional<Executor> executor{std::in_place};  // to be ended before what its tasks wait for
  std::deque<Event> events;
  Semaphore semaphore{2};
  Notify notify;
  Channel<int> channel{1};
};

struct Ends {
  io::Descriptor ours;
  io::Descriptor theirs;
};

Ends socket_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

// Each of these waits for something that may never come.

Async<> talk(World& world, Counted) {
  Ends ends = socket_pair();
  std::error_code error;
  Stream ours{*world.executor, std::move(ends.ours), error};
  Stream theirs{*world.executor, std::move(ends.theirs), error};
  std::array<std::byte, 64> buffer{};
  for (unsigned message = world.below(4); message != 0; --message) {
    co_await ours.write_some(buffer);
    co_await theirs.read_some(buffer);
  }
  co_await timeout(world.soon(), [&] { return ours.read_some(buffer); });
}

Async<> pass_permits(World& world, Counted) {
  const auto permit = co_await world.semaphore.acquire(1 + world.below(2));
  co_await sleep_until(world.soon());
}

Async<> trade(World& world, Counted) {
  for (unsigned turn = world.below(4); turn != 0; --turn) {
    if (world.below(2) == 0) {
      co_await world.channel.send(1);
    } else {
      co_await world.channel.receive();
    }
  }
}

Async<> tell(World& world, Counted) {
  world.event().set();
  world.notify.notify_one();
  co_await yield();
  if (world.below(4) == 0) world.notify.notify_all();
}

Async<> listen(World& world, Counted) {
  Event own{*world.executor};
  co_await select([&] { return own.wait(); }, [&] { return world.notify.notified(); },
                  [&] { return sleep_until(world.soon()); });
}

Async<> clean_up(World& world, Counted counted) {
  const auto cleanup = [kept = counted] {
  };  // named: see the README
  co_await finally([&] { return sleep_until(world.soon()); }, cleanup);
}

Async<> chaos(World& world, Counted counted, int depth);

Async<> gather(World& world, Counted counted, int depth) {
  co_await join([&] { return chaos(world, counted, depth - 1); },
                [&] { return chaos(world, counted, depth - 1); });
  co_await join_all(world.below(4), [&](std::size_t) { return chaos(world, counted, depth - 1); });
}

/// The children of a task: dropped with it, they are let go, or aborted where nobody may be left.
struct Children : std::vector<JoinHandle<void>> {
  explicit Children(const World& of) : world{&of} {}
  ~Children() {
    for (JoinHandle<void>& child : *this) {
      if (world->all_abort) child.abort();
    }
  }
  const World* world;
};

Async<> have_children(World& world, Counted counted, int depth) {
  Children children{world};
  for (unsigned child = world.below(3); child != 0; --child) {
    std::error_code error;
    children.push_back(
        world.executor->spawn_joinable([&] { return chaos(world, counted, depth - 1); }, error));
    EXPECT_FALSE(error);
  }
  co_await sleep_until(world.soon());
  for (JoinHandle<void>& child : children) {
    if (world.below(2) == 0) child.abort();
    if (world.below(4) != 0) static_cast<void>(co_await child.join());
  }
}

Async<> chaos(World& world, Counted counted, int depth) {
  const unsigned kinds = depth > 0 ? 8 : 6;
  switch (world.below(kinds)) {
    case 0:
      co_await talk(world, counted);
      break;
    case 1:
      co_await pass_permits(world, counted);
      break;
    case 2:
      co_await trade(world, counted);
      break;
    case 3:
      co_await tell(world, counted);
      break;
    case 4:
      co_await listen(world, counted);
      break;
    case 5:
      co_await clean_up(world, counted);
      break;
    case 6:
      co_await gather(world, counted, depth);
      break;
    default:
      co_await have_children(world, counted, depth);
      break;
  }
}

Async<> stop_after(World& world, unsigned turns) {
  for (; turns != 0; --turns) co_await yield();
  world.executor->stop();
}

Async<> abort_all(World& world, std::vector<JoinHandle<void>>& handles) {
  for (JoinHandle<void>& handle : handles) handle.abort();
  world.executor->stop();
  co_return;
}

struct RandomDrop : testing::TestWithParam<bool> {
  void spawn_chaos() {
    for (int task = 0; task < 12; ++task) {
      std::error_code error;
      handles.push_back(world->executor->spawn_joinable(
          [&] { return chaos(*world, Counted{world->alive}, 2); }, error));
      ASSERT_FALSE(error);
    }
  }
  void run_for_a_while() {
    for (unsigned stops = 1 + world->below(3); stops != 0; --stops) {
      ASSERT_FALSE(world->executor->spawn([&] { return stop_after(*world, world->below(200)); }));
      world->executor->run();
    }
  }

  std::optional<World> world;
  std::vector<JoinHandle<void>> handles;
};

TEST_P(RandomDrop, LeavesNoTaskTimerWaiterOrDescriptor) {
  const bool by_abort = GetParam();
  const std::size_t descriptors = open_descriptors();
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    world.emplace(seed);
    world->all_abort = by_abort;
    spawn_chaos();
    run_for_a_while();
    if (by_abort) {
      ASSERT_FALSE(world->executor->spawn([&] { return abort_all(*world, handles); }));
      world->executor->run();
      EXPECT_EQ(world->executor->live_tasks(), 0U);
      EXPECT_EQ(world->executor->reactor().timers().size(), 0U);
      EXPECT_TRUE(world->semaphore.try_acquire(2)) << "a waiter holds back a permit";
    }
    world->executor.reset();
    EXPECT_EQ(world->alive, 0);
    handles.clear();
    world.reset();
    EXPECT_EQ(open_descriptors(), descriptors);
  }
}

INSTANTIATE_TEST_SUITE_P(How, RandomDrop, testing::Bool(),
                         [](const auto& how) { return how.param ? "ByAbort" : "WithTheExecutor"; });

}  // namespace
}  // namespace stackless
