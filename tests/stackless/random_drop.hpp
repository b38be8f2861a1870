// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <random>
#include <sys/socket.h>
#include <system_error>
#include <type_traits>
#include <vector>

#include "stackless/backend.hpp"
#include "stackless/channel.hpp"
#include "stackless/combinators.hpp"
#include "stackless/notify.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/semaphore.hpp"
#include "tests/stackless/probe.hpp"

/// Tasks that wait for one of everything, to be dropped wherever they happen to stand.
namespace stackless::test {

/// One task's own, so that a seed says what each task does, whoever comes first.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_{seed} {}
  unsigned below(unsigned bound) {
    return std::uniform_int_distribution<unsigned>{0, bound - 1}(random_);
  }
  io::TimePoint soon() { return io::Clock::now() + std::chrono::microseconds{below(300)}; }
  Dice another() { return Dice{below(1U << 31)}; }

 private:
  std::minstd_rand random_;
};

/// What the tasks of one round share.
template <class E, class Lock, class Count>
struct World {
  using Counted = BasicCounted<Count>;
  static constexpr bool is_crew = std::is_same_v<E, ParallelExecutor>;

  bool all_abort = false;  ///< a task that is dropped aborts its children
  Count alive{0};
  std::optional<E> executor{std::in_place};  // to be ended before what its tasks wait for
  BasicSemaphore<Lock> semaphore{2};
  BasicNotify<Lock> notify;
  BasicChannel<int, Lock> channel{1};
};
using LocalWorld = World<Executor, NoLock, int>;
using CrewWorld = World<ParallelExecutor, std::mutex, std::atomic<int>>;

// ---- what belongs to one thread, and ends by itself

struct Ends {
  io::Descriptor ours;
  io::Descriptor theirs;
};

inline Ends socket_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

template <class W>
Async<> talk(W&, Dice dice, typename W::Counted) {
  Ends ends = socket_pair();
  std::error_code error;
  Stream ours{Executor::current(), std::move(ends.ours), error};
  Stream theirs{Executor::current(), std::move(ends.theirs), error};
  std::array<std::byte, 64> buffer{};
  for (unsigned message = dice.below(4); message != 0; --message) {
    co_await ours.write_some(buffer);
    co_await theirs.read_some(buffer);
  }
  co_await timeout(dice.soon(), [&] { return ours.read_some(buffer); });
}

template <class W>
Async<> listen(W& world, Dice dice, typename W::Counted) {
  Event own{Executor::current()};
  if (dice.below(4) == 0) own.set();
  co_await select([&] { return own.wait(); }, [&] { return world.notify.notified(); },
                  [&] { return sleep_until(dice.soon()); });
}

/// By a task of the worker that takes it first, where the others move.
template <class W>
Async<> stay(W& world, Dice dice, typename W::Counted counted) {
  const auto begin = [&] {
    return dice.below(2) == 0 ? talk(world, dice, counted) : listen(world, dice, counted);
  };
  if constexpr (W::is_crew) {
    EXPECT_FALSE(world.executor->spawn_pinned(begin));
    co_return;
  } else {
    co_await begin();
  }
}

// ---- what any worker may poll: each waits for something that may never come

template <class W>
Async<> pause(W&, Dice dice) {
  if constexpr (W::is_crew) {
    for (unsigned turn = dice.below(500); turn != 0; --turn) co_await yield();
  } else {
    co_await sleep_until(dice.soon());
  }
}

template <class W>
Async<> pass_permits(W& world, Dice dice, typename W::Counted) {
  const auto permit = co_await world.semaphore.acquire(1 + dice.below(2));
  co_await pause(world, dice);
}

template <class W>
Async<> trade(W& world, Dice dice, typename W::Counted) {
  for (unsigned turn = dice.below(4); turn != 0; --turn) {
    if (dice.below(2) == 0) {
      co_await world.channel.send(1);
    } else {
      co_await world.channel.receive();
    }
  }
}

template <class W>
Async<> tell(W& world, Dice dice, typename W::Counted) {
  world.notify.notify_one();
  co_await yield();
  if (dice.below(4) == 0) world.notify.notify_all();
}

template <class W>
Async<> choose(W& world, Dice, typename W::Counted) {
  co_await select([&] { return world.notify.notified(); }, [&] { return world.channel.receive(); },
                  [&] { return world.semaphore.acquire(); });
}

template <class W>
Async<> clean_up(W& world, Dice dice, typename W::Counted counted) {
  const auto cleanup = [kept = counted] {
  };  // named: see the README
  co_await finally([&] { return pause(world, dice); }, cleanup);
}

// ---- and those that have others

template <class W>
Async<> chaos(W& world, Dice dice, typename W::Counted counted, int depth);

template <class W>
Async<> gather(W& world, Dice dice, typename W::Counted counted, int depth) {
  const auto child = [&] {
    return chaos(world, dice.another(), counted, depth - 1);
  };
  co_await join(child, child);
  co_await join_all(dice.below(4), [&](std::size_t) { return child(); });
}

/// The children of a task: dropped with it, they are let go, or aborted where nobody may be left.
struct Children : std::vector<JoinHandle<void>> {
  explicit Children(bool aborted) : all_abort{aborted} {}
  ~Children() {
    for (JoinHandle<void>& child : *this) {
      if (all_abort) child.abort();
    }
  }
  const bool all_abort;
};

template <class W>
Async<> have_children(W& world, Dice dice, typename W::Counted counted, int depth) {
  Children children{world.all_abort};
  for (unsigned child = dice.below(3); child != 0; --child) {
    std::error_code error;
    children.push_back(world.executor->spawn_joinable(
        [&] { return chaos(world, dice.another(), counted, depth - 1); }, error));
    EXPECT_FALSE(error);
  }
  co_await pause(world, dice);
  for (JoinHandle<void>& child : children) {
    if (dice.below(2) == 0) child.abort();
    if (dice.below(4) != 0) static_cast<void>(co_await child.join());
  }
}

template <class W>
Async<> chaos(W& world, Dice dice, typename W::Counted counted, int depth) {
  constexpr std::array alone{&stay<W>, &pass_permits<W>, &trade<W>,
                             &tell<W>, &choose<W>,       &clean_up<W>};
  constexpr std::array with_others{&gather<W>, &have_children<W>};
  const std::size_t kinds = alone.size() + (depth > 0 ? with_others.size() : 0);
  const std::size_t kind = dice.below(static_cast<unsigned>(kinds));
  if (kind < alone.size()) {
    co_await alone[kind](world, dice, counted);
  } else {
    co_await with_others[kind - alone.size()](world, dice, counted, depth);
  }
}

}  // namespace stackless::test
