// SPDX-License-Identifier: BSL-1.0
// Several workers that steal: who takes what from whom, and what is refused away from home.
#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

#include "io/budget.hpp"
#include "stackful/event.hpp"
#include "stackful/io.hpp"
#include "stackful/join_handle.hpp"
#include "stackful/runtime.hpp"
#include "tests/stackful/child.hpp"

namespace {

using stackful::Event;
using stackful::JoinHandle;
using stackful::Runtime;
using stackful::Scheduler;

/// One bound fiber on each worker; none goes on before all have come to theirs.
class Team {
 public:
  explicit Team(unsigned workers) : runtime_{{.workers = workers, .stealing = true}} {}

  Runtime& runtime() noexcept { return runtime_; }

  /// Runs `body(index of the worker)` on all of them.
  template <class Body>
  void run(Body body) {
    for (std::size_t i = 0; i != runtime_.workers(); ++i) {
      if (runtime_.spawn([this, body] { body(come_to_a_worker()); })) std::abort();
    }
    runtime_.run();
  }

  static void spin_until(const std::atomic<bool>& condition) {
    while (!condition) std::this_thread::yield();
  }
  /// On this worker, bound to it no more than its body makes it.
  template <class Body>
  static void spawn_here(Body body) {
    if (Scheduler::current()->spawn(std::move(body))) std::abort();
  }

 private:
  std::size_t come_to_a_worker() {
    while (!claim(Scheduler::current())) Scheduler::current()->yield();
    const Event binds{runtime_};
    while (claimed_ != runtime_.workers()) std::this_thread::yield();
    return index_of_this_worker();
  }

  bool claim(const Scheduler* worker) {
    const std::lock_guard locked{mutex_};
    const bool first = workers_.insert(worker).second;
    claimed_ = workers_.size();
    return first;
  }

  std::size_t index_of_this_worker() {
    std::size_t index = 0;
    while (&runtime_.worker(index) != Scheduler::current()) ++index;
    return index;
  }

  Runtime runtime_;
  std::mutex mutex_;
  std::set<const Scheduler*> workers_;
  std::atomic<std::size_t> claimed_{0};
};

TEST(Stealing, AWorkerThatHasWorkTakesNothing) {
  Team team{2};
  std::atomic<bool> offered{false};
  std::atomic<bool> taken{false};
  bool taken_from_a_busy_worker = true;
  team.run([&](std::size_t worker) {
    if (worker == 0) {
      Team::spawn_here([&] { taken = true; });
      offered = true;
      Team::spin_until(taken);
    } else {
      Team::spin_until(offered);
      for (unsigned turn = 0; turn != 50 * io::poll_budget; ++turn) Scheduler::current()->yield();
      taken_from_a_busy_worker = taken;
    }
  });
  EXPECT_FALSE(taken_from_a_busy_worker);
  EXPECT_TRUE(taken);
}

TEST(Stealing, BeginsWithTheWorkerNextToTheOneWithoutWork) {
  constexpr std::size_t workers = 4;
  for (std::size_t idle = 0; idle != workers; ++idle) {
    Team team{workers};
    std::atomic<std::size_t> offered{0};
    std::atomic<bool> all_taken{false};
    std::vector<std::size_t> taken;  // by one worker only, the others spin
    team.run([&](std::size_t worker) {
      if (worker == idle) {
        while (offered != workers - 1) std::this_thread::yield();
      } else {
        Team::spawn_here([&, worker] {
          taken.push_back(worker);
          all_taken = taken.size() == workers - 1;
        });
        ++offered;
        Team::spin_until(all_taken);
      }
    });
    EXPECT_EQ(taken,
              (std::vector{(idle + 1) % workers, (idle + 2) % workers, (idle + 3) % workers}))
        << idle;
  }
}

/// A handle of a fiber that worker 0 has spawned, moved to worker 1 while worker 0 waits.
template <class Use>
void use_a_handle_elsewhere(Use use) {
  Team team{2};
  JoinHandle<int> handle;
  std::atomic<bool> made{false};
  std::atomic<bool> used{false};
  team.run([&](std::size_t worker) {
    if (worker == 0) {
      std::error_code error;
      handle = stackful::spawn_joinable(
          *Scheduler::current(), [] { return 7; }, error);
      if (error) std::abort();
      made = true;
      Team::spin_until(used);
    } else {
      Team::spin_until(made);
      use(handle);
      used = true;
    }
  });
  if (handle.joinable()) {
    EXPECT_EQ(handle.join(), 7);
  }
}

TEST(AwayFromHome, AHandleIsNotJoined) {
  use_a_handle_elsewhere([](JoinHandle<int>& handle) {
    EXPECT_THROW(handle.join(), std::logic_error);
    EXPECT_TRUE(handle.joinable());
  });
}

TEST(AwayFromHome, AHandleCancels) {
  Team team{2};
  JoinHandle<void> handle;
  std::atomic<bool> waits{false};
  team.run([&](std::size_t worker) {
    if (worker == 0) {
      std::error_code error;
      handle = stackful::spawn_joinable(
          *Scheduler::current(),
          [&] {
            waits = true;
            while (true) Scheduler::current()->park();
          },
          error);
      if (error) std::abort();
    } else {
      Team::spin_until(waits);
      handle.cancel();
    }
  });
  EXPECT_THROW(handle.join(), stackful::Cancelled);
}

#if !defined(__SANITIZE_THREAD__)  // it gives up on threads of a forked process
TEST(AwayFromHome, AHandleThatIsDroppedEndsTheProgram) {
  const auto status = status_of_child([] {
    use_a_handle_elsewhere([](JoinHandle<int>& handle) { const auto dropped = std::move(handle); });
  });
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGABRT) << *status;
}
#endif

TEST(AwayFromHome, AStreamIsNeitherReadNorWritten) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  const io::Descriptor peer{ends[1]};
  Team team{2};
  std::error_code error;
  stackful::Stream at_the_first{team.runtime(), io::Descriptor{ends[0]}, error};
  ASSERT_FALSE(error) << error.message();
  team.run([&](std::size_t worker) {
    std::array<std::byte, 1> byte{};
    if (worker == 1) {
      EXPECT_THROW(at_the_first.read_some(byte), std::logic_error);
      EXPECT_THROW(at_the_first.write_some(byte), std::logic_error);
      EXPECT_THROW(at_the_first.wait_readable(), std::logic_error);
    } else {
      EXPECT_EQ(at_the_first.write_some(byte).bytes, 1U);
    }
  });
}

}  // namespace
