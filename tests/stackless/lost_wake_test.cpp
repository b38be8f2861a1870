// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "stackless/coroutine.hpp"
#include "stackless/event.hpp"
#include "stackless/executor.hpp"
#include "stackless/parallel_executor.hpp"
#include "stackless/poll_fn.hpp"
#include "tests/stackless/stress.hpp"

namespace stackless {
namespace {

constexpr std::size_t task_count = 4;
constexpr std::size_t thread_count = 2;

/// What a task and those who wake it share. A wake is lost when `seen` stays behind `asked` for
/// ever: then the test hangs until its time limit.
struct Ticket {
  std::atomic<std::uint64_t> asked{0};
  std::atomic<std::uint64_t> seen{0};
  std::atomic<bool> over{false};
};

using Tickets = std::array<Ticket, task_count>;

/// Threads that ask, each in its own way. The last one to be done says that all is over.
class Askers {
 public:
  explicit Askers(Tickets& tickets) : tickets_{&tickets} {}

  template <class Wake>
  void add(Wake wake) {
    threads_.emplace_back([this, first = threads_.size(), wake = std::move(wake)] {
      ask(first, wake);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 != thread_count) return;
      for (std::size_t task = 0; task < task_count; ++task) {
        (*tickets_)[task].over.store(true, std::memory_order_relaxed);
        wake(task);
      }
    });
  }

 private:
  /// Asks often, and waits now and then until the last question has been seen.
  template <class Wake>
  void ask(std::size_t first, const Wake& wake) {
    const std::uint64_t rounds = test::stress_wakes() / thread_count;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::size_t task = (first + i) % task_count;
      Ticket& ticket = (*tickets_)[task];
      const std::uint64_t mine = ticket.asked.fetch_add(1, std::memory_order_relaxed) + 1;
      wake(task);
      if (i % 64 != 0) continue;
      while (ticket.seen.load(std::memory_order_relaxed) < mine) std::this_thread::yield();
    }
  }

  Tickets* tickets_;
  std::atomic<std::size_t> done_{0};
  std::vector<std::jthread> threads_;
};

void answer(Ticket& ticket) {
  ticket.seen.store(ticket.asked.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

TEST(LostWake, NoWakerIsWokenInVain) {
  Executor executor;
  Tickets tickets;
  std::array<Waker, task_count> wakers;
  Askers askers{tickets};
  const auto begin_asking = [&] {
    for (std::size_t thread = 0; thread < thread_count; ++thread) {
      auto own = std::make_shared<std::array<Waker, task_count>>();
      for (std::size_t task = 0; task < task_count; ++task) (*own)[task] = wakers[task].clone();
      askers.add([own](std::size_t task) { (*own)[task].wake_by_ref(); });
    }
  };
  for (std::size_t task = 0; task < task_count; ++task) {
    ASSERT_FALSE(executor.spawn([&, task] {
      return poll_fn([&, task](Context& context) -> Poll<> {
        if (!wakers[task]) {
          wakers[task] = context.waker().clone();
          if (task == task_count - 1) begin_asking();
        }
        answer(tickets[task]);
        return tickets[task].over.load(std::memory_order_relaxed) ? ready : Poll<>{pending};
      });
    }));
  }
  executor.run();
}

Async<> answer_all(Event& event, Ticket& ticket) {
  while (!ticket.over.load(std::memory_order_relaxed)) {
    co_await event.wait();
    answer(ticket);
  }
}

TEST(LostWake, NoEventIsSetInVain) {
  Executor executor;
  Tickets tickets;
  std::array<Event, task_count> events{Event{executor}, Event{executor}, Event{executor},
                                       Event{executor}};
  for (std::size_t task = 0; task < task_count; ++task) {
    ASSERT_FALSE(executor.spawn([&, task] { return answer_all(events[task], tickets[task]); }));
  }
  Askers askers{tickets};
  for (std::size_t thread = 0; thread < thread_count; ++thread) {
    askers.add([&](std::size_t task) { events[task].set(); });
  }
  executor.run();
}

/// The waker of one task, and a thread of its own that asks.
TEST(LostWake, NoMobileTaskIsWokenInVain) {
  const std::uint64_t rounds = test::stress_wakes();
  ParallelExecutor executor{{.workers = 2}};
  Ticket ticket;
  std::jthread asker;
  const auto ask = [&](const Waker& waker) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      ticket.asked.store(round, std::memory_order_relaxed);
      waker.wake_by_ref();
      while (round % 64 == 0 && ticket.seen.load(std::memory_order_relaxed) < round) {
        std::this_thread::yield();
      }
    }
  };
  ASSERT_FALSE(executor.spawn([&] {
    return poll_fn([&](Context& context) -> Poll<> {
      if (!asker.joinable()) {
        asker = std::jthread{[&, waker = context.waker().clone()] {
          ask(waker);
        }};
      }
      answer(ticket);
      return ticket.seen.load(std::memory_order_relaxed) == rounds ? ready : Poll<>{pending};
    });
  }));
  executor.run();
}

}  // namespace
}  // namespace stackless
