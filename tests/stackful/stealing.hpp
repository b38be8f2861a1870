// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "stackful/event.hpp"
#include "stackful/runtime.hpp"

namespace tests {

inline thread_local int of_this_thread = 0;

/// The thread that runs now, whatever the compiler remembers. Not inlined, and not known to return
/// what to clang is a constant of the whole program.
[[gnu::noinline]] inline int* where_it_is_now() {
  int* here = &of_this_thread;
  asm volatile("" : "+r"(here) : : "memory");
  return here;
}

/// A runtime of two workers that steal, and a fiber that travels between them.
class StealingTest : public testing::Test {
 protected:
  template <class Body>
  void spawn(Body body) {
    const std::error_code error = runtime_.spawn(std::move(body));
    ASSERT_FALSE(error) << error.message();
  }

  static void yield() { stackful::Scheduler::current()->yield(); }

  /// One fiber on each worker that stays there. It sleeps, so that its worker has nothing to do;
  /// but woken, it keeps the worker busy until the traveller has gone to the other. The traveller
  /// is spawned by the second to come: before, its yields could keep a worker from taking a driver.
  void spawn_drivers_and(std::function<void()> traveller) {
    traveller_ = std::move(traveller);
    for (int driver = 0; driver != 2; ++driver) {
      spawn([this] {
        while (!claim_this_worker()) yield();
        stackful::Event turn{runtime_};
        introduce_driver(turn);
        while (true) {
          turn.wait();
          if (arrived_) return;
          while (traveller_is_on_ == where_it_is_now()) std::this_thread::yield();
        }
      });
    }
  }

  bool claim_this_worker() {
    const std::lock_guard locked{mutex_};
    return turns_.emplace(where_it_is_now(), nullptr).second;
  }

  void introduce_driver(stackful::Event& turn) {
    const std::lock_guard locked{mutex_};
    turns_.at(where_it_is_now()) = &turn;
    if (++drivers_ == 2) spawn(traveller_);
  }

  void wake_driver(const int* thread) {
    const std::lock_guard locked{mutex_};
    turns_.at(thread)->set();
  }

  /// Of the traveller: yields until it is on another thread.
  void change_threads() {
    const int* const before = where_it_is_now();
    traveller_is_on_ = before;
    wake_driver(before);
    while (where_it_is_now() == before) yield();
    traveller_is_on_ = where_it_is_now();
  }

  void arrive() {
    arrived_ = true;
    for (const auto& [thread, turn] : turns_) turn->set();
  }

  stackful::Runtime runtime_{{.workers = 2, .stealing = true}};
  std::atomic<const int*> traveller_is_on_{nullptr};
  std::atomic<bool> arrived_{false};
  std::mutex mutex_;
  std::map<const int*, stackful::Event*> turns_;  // of the drivers, by thread
  int drivers_ = 0;                               // the same
  std::function<void()> traveller_;
};

}  // namespace tests
