// SPDX-License-Identifier: BSL-1.0
#include "stackful/runtime.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "stackful/event.hpp"
#include "stackful/io.hpp"
#include "stackful/join_handle.hpp"
#include "stackful/sleep.hpp"

namespace {

using namespace std::chrono_literals;
using stackful::Event;
using stackful::Runtime;
using stackful::Scheduler;

class RuntimeTest : public testing::TestWithParam<unsigned> {
 protected:
  template <class Body>
  void spawn(Body body) {
    const std::error_code error = runtime_.spawn(std::move(body));
    ASSERT_FALSE(error) << error.message();
  }

  Runtime runtime_{{.workers = GetParam()}};
};

TEST_P(RuntimeTest, DealsTasksRoundRobinAndTheyStay) {
  constexpr std::size_t tasks = 40;
  std::mutex mutex;
  std::multiset<std::thread::id> ran_on;
  for (std::size_t i = 0; i != tasks; ++i) {
    spawn([&] {
      const std::thread::id at_first = std::this_thread::get_id();
      for (int round = 0; round != 100; ++round) {
        Scheduler::current()->yield();
        EXPECT_EQ(std::this_thread::get_id(), at_first);
      }
      const std::scoped_lock lock{mutex};
      ran_on.insert(at_first);
    });
  }
  runtime_.run();
  EXPECT_EQ(ran_on.size(), tasks);
  EXPECT_EQ(std::set(ran_on.begin(), ran_on.end()).size(), GetParam());
  for (const std::thread::id id : ran_on) EXPECT_EQ(ran_on.count(id), tasks / GetParam());
}

TEST_P(RuntimeTest, TasksDealTasksAndAllStacksAreUsedAgain) {
  std::atomic<int> ended{0};
  for (int i = 0; i != 4; ++i) {
    spawn([&] {
      for (int round = 0; round != 500; ++round) {
        Event done{runtime_};
        spawn([&] {
          ++ended;
          done.set();
        });
        done.wait();
      }
    });
  }
  runtime_.run();
  EXPECT_EQ(ended.load(), 4 * 500);
  std::size_t stacks = 0;
  for (std::size_t i = 0; i != runtime_.workers(); ++i) {
    stacks += runtime_.worker(i).stacks().created();
  }
  EXPECT_LE(stacks, 100U);  // 8 are alive at a time; some wait for their way back
}

TEST_P(RuntimeTest, ABatonGoesRoundAllWorkers) {
  constexpr std::size_t runners = 6;
  constexpr int rounds = 300;
  std::vector<std::unique_ptr<Event>> events;
  for (std::size_t i = 0; i != runners; ++i) events.push_back(std::make_unique<Event>(runtime_));
  std::string trace;  // only who holds the baton writes
  for (std::size_t i = 0; i != runners; ++i) {
    spawn([&, i] {
      for (int round = 0; round != rounds; ++round) {
        events[i]->wait();
        trace += static_cast<char>('0' + i);
        events[(i + 1) % runners]->set();
      }
    });
  }
  events[0]->set();
  runtime_.run();
  std::string expected;
  for (int round = 0; round != rounds; ++round) expected += "012345";
  EXPECT_EQ(trace, expected);
}

TEST_P(RuntimeTest, SleepsAndSocketsBelongToTheirOwnWorker) {
  std::atomic<int> served{0};
  for (int i = 0; i != 8; ++i) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    for (const int end : ends) {
      spawn([&, end, first = end == ends[0]] {
        std::error_code error;
        stackful::Stream stream{runtime_, io::Descriptor{end}, error};
        ASSERT_FALSE(error) << error.message();
        std::array<std::byte, 4> ball{};
        for (int round = 0; round != 100; ++round) {
          std::size_t moved = 0;
          if (first) moved += stream.write_some(ball).bytes;
          moved += stream.read_some(ball).bytes;
          if (!first) moved += stream.write_some(ball).bytes;
          EXPECT_EQ(moved, 2 * ball.size());
        }
        stackful::sleep_until(io::Clock::now() + 1ms);
        ++served;
      });
    }
  }
  runtime_.run();
  EXPECT_EQ(served.load(), 16);
}

TEST_P(RuntimeTest, SetsFromAnyThreadReachWaitersOnAnyWorker) {
  constexpr int rounds = 500;
  struct Pair {
    explicit Pair(Runtime& runtime) : event{runtime} {}
    Event event;
    std::atomic<int> answered{0};
  };
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<std::thread> others;
  for (int i = 0; i != 4; ++i) {
    Pair& pair = *pairs.emplace_back(std::make_unique<Pair>(runtime_));
    spawn([&pair] {
      for (int round = 1; round <= rounds; ++round) {
        pair.event.wait();
        pair.answered.store(round);
      }
    });
    others.emplace_back([&pair] {
      for (int round = 1; round <= rounds; ++round) {
        pair.event.set();
        while (pair.answered.load() < round) std::this_thread::yield();
      }
    });
  }
  runtime_.run();
  for (std::thread& other : others) other.join();
  for (const auto& pair : pairs) EXPECT_EQ(pair->answered.load(), rounds);
}

TEST_P(RuntimeTest, ACancelledWaitForAnEventElsewhereLosesNoSet) {
  constexpr int rounds = 100;
  Event event{runtime_};  // at home on the first worker
  Event finished{runtime_};
  std::atomic<int> sets{0};
  std::atomic<int> taken{0};
  std::atomic<int> given_up{0};
  // Two tasks: dealt to the first and, where there is one, the second worker.
  spawn([&] {
    for (int round = 0; round != rounds; ++round) {
      ++sets;
      event.set();
      finished.wait();
    }
  });
  spawn([&] {
    Scheduler& here = *Scheduler::current();
    for (int round = 0, attempt = 0; round != rounds; ++attempt) {
      std::error_code error;
      auto waiter = stackful::spawn_joinable(
          here, [&] { event.wait(); }, error);
      ASSERT_FALSE(error);
      // Up to a millisecond: from long before the grant is on its way to long after.
      if (attempt % 4 != 0) stackful::sleep_until(io::Clock::now() + attempt % 16 * 64us);
      waiter.cancel();
      try {
        waiter.join();
        ++taken;
        ++round;
        finished.set();
      } catch (const stackful::Cancelled&) {
        ++given_up;
      }
    }
  });
  runtime_.run();
  EXPECT_EQ(sets.load(), rounds);
  EXPECT_EQ(taken.load(), rounds);
}

TEST_P(RuntimeTest, RunCanBeCalledAgain) {
  for (int round = 0; round != 3; ++round) {
    std::atomic<int> ran{0};
    for (int i = 0; i != 10; ++i) spawn([&] { ++ran; });
    runtime_.run();
    EXPECT_EQ(ran.load(), 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, RuntimeTest, testing::Values(1U, 2U, 4U),
                         [](const auto& each) { return std::to_string(each.param); });

TEST(Runtime, RefusesToHaveNoWorker) {
  EXPECT_THROW(Runtime{{.workers = 0}}, std::system_error);
}

TEST(Runtime, ThousandsYieldOnFourThatStealAndAllEnd) {
  constexpr int tasks = 2000;
  constexpr int turns = 20;
  Runtime runtime{{.stack_bytes = 16'384, .workers = 4, .stealing = true}};
  std::atomic<int> turned{0};
  for (int i = 0; i != tasks; ++i) {
    const std::error_code error = runtime.spawn([&] {
      for (int turn = 0; turn != turns; ++turn) {
        Scheduler::current()->yield();
        ++turned;
      }
    });
    ASSERT_FALSE(error) << error.message();
  }
  runtime.run();
  EXPECT_EQ(turned, tasks * turns);
  EXPECT_EQ(runtime.live_tasks(), 0U);
}

TEST(Runtime, DropsWhatNeverRanWhereItIsStolen) {
  const auto owned = std::make_shared<int>(0);
  {
    Runtime runtime{{.workers = 2, .stealing = true}};
    for (int i = 0; i != 5; ++i) {
      ASSERT_FALSE(runtime.spawn([owned] {}));
    }
    EXPECT_EQ(owned.use_count(), 6);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
