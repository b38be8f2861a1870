// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

#include "io/reactor.hpp"
#include "tests/contract/contenders.hpp"

namespace contract {
namespace {

// Fairness is counted in turns, not timed: a turn is one yield (or one hand-over) of any greedy
// task. Kernel threads are preempted whatever they do; for them, that all ends is all there is to
// see.
constexpr std::size_t greedy_tasks = 3;
// A worker looks at its reactor after poll_budget turns, but not before look_interval is over; a
// turn takes more than a nanosecond.
constexpr std::size_t generous =
    4 * (io::poll_budget + greedy_tasks + std::size_t{io::look_interval.count()});

template <class C>
struct Yielding : Case<C> {
  using typename Case<C>::Event;
  using typename Case<C>::Script;
  using typename Case<C>::Stream;

  /// Yields until `served`; counts the turns taken since `due`.
  static Script be_greedy(const std::atomic<bool>& due, const std::atomic<bool>& served,
                          std::atomic<std::size_t>& turns_due) {
    while (!served) {
      if (due) ++turns_due;
      co_await Yield{};
    }
  }

  /// The same without a yield: hands a baton to and fro.
  static Script play(Event& mine, Event& other, const std::atomic<bool>& due,
                     const std::atomic<bool>& served, std::atomic<std::size_t>& turns_due) {
    while (!served) {
      co_await Wait{mine};
      if (due) ++turns_due;
      other.set();
    }
    other.set();  // it may still wait for the first move
  }

  static Script sleep(io::TimePoint deadline, std::atomic<bool>& served) {
    co_await Sleep{deadline};
    served = true;
  }

  static Script watch_clock(io::TimePoint deadline, std::atomic<bool>& due,
                            const std::atomic<bool>& served) {
    while (!served) {
      due = io::Clock::now() >= deadline;
      co_await Yield{};
    }
  }

  Script read_one_byte(io::Descriptor end) {
    std::error_code error;
    Stream stream{this->runtime, std::move(end), error};
    EXPECT_FALSE(error) << error.message();
    std::array<std::byte, 8> buffer{};
    const io::Transfer got = co_await Read{stream, buffer};
    EXPECT_EQ(got.bytes, 1U) << got.error.message();
    served = true;
  }

  /// Reads byte by byte what is there already: no read has to wait. Notes the longest run of reads
  /// in which nobody else had a turn.
  Script read_greedily(io::Descriptor end, std::size_t bytes, std::size_t& longest_run) {
    std::error_code error;
    Stream stream{this->runtime, std::move(end), error};
    EXPECT_FALSE(error) << error.message();
    std::size_t run = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t turns_before = turns_due;
      std::array<std::byte, 1> byte{};
      const io::Transfer got = co_await Read{stream, byte};
      EXPECT_EQ(got.bytes, 1U) << got.error.message();
      run = turns_due == turns_before ? run + 1 : 0;
      longest_run = std::max(run, longest_run);
    }
    served = true;
  }

  static Script wait(Event& event, std::atomic<bool>& served) {
    co_await Wait{event};
    served = true;
  }

  static Script take_turns(std::size_t turns, std::atomic<std::size_t>& mine,
                           const std::atomic<std::size_t>& other) {
    for (std::size_t i = 0; i < turns; ++i) {
      ++mine;
      if constexpr (Case<C>::one_worker) {
        EXPECT_LE(mine, other + 1) << "went twice while the other could run";
      }
      co_await Yield{};
    }
    ++mine;  // ended: the other may go on alone
  }

  static std::pair<io::Descriptor, io::Descriptor> connected_pair() {
    std::array<int, 2> ends{};
    const int flags = Case<C>::Backend::mode == io::Mode::nonblocking ? SOCK_NONBLOCK : 0;
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | flags, 0, ends.data()), 0);
    return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
  }

  void spawn_greedy() {
    for (std::size_t i = 0; i < greedy_tasks; ++i) {
      this->spawn(be_greedy(due, served, turns_due));
    }
  }

  void expect_served_in_time() {
    EXPECT_TRUE(served);
    if constexpr (Case<C>::one_worker) {
      EXPECT_LE(turns_due, generous);
    }
  }

  std::atomic<bool> due{false};
  std::atomic<bool> served{false};
  std::atomic<std::size_t> turns_due{0};
};
TYPED_TEST_SUITE(Yielding, ContendersAndMigrating, Names);

TYPED_TEST(Yielding, TwoTasksTakeTurns) {
  std::atomic<std::size_t> one{0};
  std::atomic<std::size_t> other{0};
  this->spawn(this->take_turns(1000, one, other));
  this->spawn(this->take_turns(1000, other, one));
  this->runtime.run();
  EXPECT_EQ(one, 1001U);
  EXPECT_EQ(other, 1001U);
}

TYPED_TEST(Yielding, AloneATaskGoesOn) {
  std::atomic<std::size_t> one{0};
  const std::atomic<std::size_t> unbounded{1'000'000};
  this->spawn(this->take_turns(1000, one, unbounded));
  this->runtime.run();
  EXPECT_EQ(one, 1001U);
}

TYPED_TEST(Yielding, GreedyTasksDoNotDelayASleeper) {
  const io::TimePoint deadline = io::Clock::now() + std::chrono::milliseconds{2};
  this->spawn(this->sleep(deadline, this->served));
  this->spawn(this->watch_clock(deadline + io::TimingWheel::tick, this->due, this->served));
  this->spawn_greedy();
  this->runtime.run();
  this->expect_served_in_time();
}

TYPED_TEST(Yielding, TasksThatHandOverDoNotDelayASleeper) {
  typename TestFixture::Event ping{this->runtime};
  typename TestFixture::Event pong{this->runtime};
  const io::TimePoint deadline = io::Clock::now() + std::chrono::milliseconds{2};
  this->spawn(this->sleep(deadline, this->served));
  this->spawn(this->watch_clock(deadline + io::TimingWheel::tick, this->due, this->served));
  this->spawn(this->play(ping, pong, this->due, this->served, this->turns_due));
  this->spawn(this->play(pong, ping, this->due, this->served, this->turns_due));
  ping.set();
  this->runtime.run();
  this->expect_served_in_time();
}

TYPED_TEST(Yielding, GreedyTasksDoNotDelayAReader) {
  auto [end, peer] = this->connected_pair();
  ASSERT_EQ(::send(peer.get(), "x", 1, 0), 1);
  this->due = true;  // the byte is there before anybody runs
  this->spawn(this->read_one_byte(std::move(end)));
  this->spawn_greedy();
  this->runtime.run();
  this->expect_served_in_time();
}

// A peer that always has sent more than has been read must not keep the worker to itself.
TYPED_TEST(Yielding, AReaderThatNeverHasToWaitLetsOthersRun) {
  const std::vector<char> flood(10'000, 'x');
  auto [end, peer] = this->connected_pair();
  ASSERT_EQ(::send(peer.get(), flood.data(), flood.size(), 0), std::ssize(flood));
  this->due = true;
  std::size_t longest_run = 0;
  this->spawn(this->read_greedily(std::move(end), flood.size(), longest_run));
  this->spawn(this->be_greedy(this->due, this->served, this->turns_due));
  this->runtime.run();
  if constexpr (TestFixture::one_worker) {
    EXPECT_LE(longest_run, io::poll_budget);
  }
}

TYPED_TEST(Yielding, GreedyTasksDoNotDelayAnotherThreadsSet) {
  typename TestFixture::Event event{this->runtime};
  this->spawn(this->wait(event, this->served));
  this->spawn_greedy();
  std::thread setter{[&] {
    event.set();
    this->due = true;
  }};
  this->runtime.run();
  setter.join();
  this->expect_served_in_time();
}

}  // namespace
}  // namespace contract
