// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <cstddef>
#include <deque>
#include <semaphore>
#include <thread>
#include <vector>

#include "tests/contract/contenders.hpp"

namespace contract {
namespace {

template <class C>
struct Events : Case<C> {
  using typename Case<C>::Event;
  using typename Case<C>::Script;

  static Script wait_times(Event& event, std::size_t times, std::atomic<std::size_t>& passed) {
    for (std::size_t i = 0; i < times; ++i) {
      co_await Wait{event};
      ++passed;
    }
  }

  /// Waits on `mine` and sets `next`, `rounds` times.
  static Script hand_on(Event& mine, Event& next, std::size_t rounds, std::size_t& hops) {
    for (std::size_t i = 0; i < rounds; ++i) {
      co_await Wait{mine};
      ++hops;  // whoever holds the baton is the only one here
      next.set();
    }
  }

  static Script wait_twice(Event& event, Event& passed_once, std::atomic<bool>& passed_twice) {
    co_await Wait{event};
    passed_once.set();
    co_await Wait{event};
    passed_twice = true;
  }

  static Script look_then_set(Event& event, Event& passed_once, std::atomic<bool>& passed_twice) {
    co_await Wait{passed_once};
    for (int i = 0; i < 100; ++i) {
      co_await Yield{};
    }
    EXPECT_FALSE(passed_twice) << "one set let two waits pass";
    event.set();
  }

  static Script answer(Event& question, std::size_t rounds, std::binary_semaphore& given) {
    for (std::size_t i = 0; i < rounds; ++i) {
      co_await Wait{question};
      given.release();
    }
  }

  static Script wait_until(Event& event, std::atomic<bool>& enough) {
    while (!enough) {
      co_await Wait{event};
    }
  }

  static Script set_when_run(Event& event) {
    event.set();
    co_return;
  }
};
TYPED_TEST_SUITE(Events, ContendersAndCrews, Names);

TYPED_TEST(Events, ASetBeforeTheWaitIsRemembered) {
  typename TestFixture::Event event{this->runtime};
  std::atomic<std::size_t> passed{0};
  event.set();
  this->spawn(this->wait_times(event, 1, passed));
  this->runtime.run();
  EXPECT_EQ(passed, 1U);
}

TYPED_TEST(Events, ASetAfterTheWaitWakes) {
  typename TestFixture::Event event{this->runtime};
  std::atomic<std::size_t> passed{0};
  this->spawn(this->wait_times(event, 1, passed));
  this->spawn(this->set_when_run(event));
  this->runtime.run();
  EXPECT_EQ(passed, 1U);
}

TYPED_TEST(Events, SetsBeforeOneWaitCountAsOne) {
  typename TestFixture::Event event{this->runtime};
  typename TestFixture::Event passed_once{this->runtime};
  std::atomic<bool> passed_twice{false};
  event.set();
  event.set();
  event.set();
  this->spawn(this->wait_twice(event, passed_once, passed_twice));
  this->spawn(this->look_then_set(event, passed_once, passed_twice));
  this->runtime.run();
  EXPECT_TRUE(passed_twice);
}

TYPED_TEST(Events, PingPong) {
  constexpr std::size_t rounds = 5000;
  typename TestFixture::Event ping{this->runtime};
  typename TestFixture::Event pong{this->runtime};
  std::size_t hops = 0;
  this->spawn(this->hand_on(ping, pong, rounds, hops));
  this->spawn(this->hand_on(pong, ping, rounds, hops));
  ping.set();
  this->runtime.run();
  EXPECT_EQ(hops, 2 * rounds);
}

TYPED_TEST(Events, ABatonGoesRoundARingOfMany) {
  constexpr std::size_t tasks = 500;
  constexpr std::size_t laps = 10;
  std::deque<typename TestFixture::Event> ring;
  for (std::size_t i = 0; i < tasks; ++i) {
    ring.emplace_back(this->runtime);
  }
  std::size_t hops = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    this->spawn(this->hand_on(ring[i], ring[(i + 1) % tasks], laps, hops));
  }
  ring[0].set();
  this->runtime.run();
  EXPECT_EQ(hops, tasks * laps);
}

TYPED_TEST(Events, AnotherThreadsSetsAreNeverLost) {
  constexpr std::size_t rounds = 2000;
  typename TestFixture::Event question{this->runtime};
  std::binary_semaphore answered{0};
  std::thread asker{[&] {
    for (std::size_t i = 0; i < rounds; ++i) {
      question.set();  // the worker is busy, about to sleep or asleep, as chance has it
      answered.acquire();
    }
  }};
  this->spawn(this->answer(question, rounds, answered));
  this->runtime.run();
  asker.join();
}

TYPED_TEST(Events, ManyThreadsSetManyEvents) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t rounds = 500;
  std::deque<typename TestFixture::Event> questions;
  std::deque<std::binary_semaphore> answered;
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < threads; ++i) {
    auto& question = questions.emplace_back(this->runtime);
    auto& answer = answered.emplace_back(0);
    this->spawn(this->answer(question, rounds, answer));
    askers.emplace_back([&question, &answer] {
      for (std::size_t round = 0; round < rounds; ++round) {
        question.set();
        answer.acquire();
      }
    });
  }
  this->runtime.run();
  for (std::thread& asker : askers) {
    asker.join();
  }
}

TYPED_TEST(Events, TheLastOfAStormOfSetsIsNeverLost) {
  for (int storm = 0; storm < 50; ++storm) {
    typename TestFixture::Event event{this->runtime};
    std::atomic<bool> enough{false};
    std::thread setter{[&] {
      for (int i = 0; i < 200; ++i) {
        event.set();
      }
      enough = true;
      event.set();
    }};
    this->spawn(this->wait_until(event, enough));
    this->runtime.run();
    setter.join();
  }
}

}  // namespace
}  // namespace contract
