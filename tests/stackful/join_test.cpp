// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "stackful/io.hpp"
#include "stackful/join_handle.hpp"
#include "stackful/sleep.hpp"

namespace {

using namespace std::chrono_literals;
using stackful::Cancelled;
using stackful::Event;
using stackful::JoinHandle;
using stackful::Scheduler;
using stackful::Stream;

class JoinTest : public testing::Test {
 protected:
  template <class Body>
  auto spawn_joinable(Body body) {
    std::error_code error;
    auto handle = stackful::spawn_joinable(scheduler_, std::move(body), error);
    EXPECT_FALSE(error) << error.message();
    return handle;
  }

  template <class Body>
  void spawn(Body body) {
    const std::error_code error = scheduler_.spawn(std::move(body));
    ASSERT_FALSE(error) << error.message();
  }

  void note(const std::string& what) { trace_ += (trace_.empty() ? "" : " ") + what; }

  /// Runs `wait` in a fiber, cancels it once it waits, and returns what happened meanwhile.
  template <class Wait>
  std::string cancelled_in(Wait wait) {
    auto handle = spawn_joinable([this, &wait] {
      const Noted guard{*this};
      note("wait");
      wait();
      note("woken");
    });
    spawn([&] {
      note("cancel");
      handle.cancel();
      try {
        handle.join();
        note("returned");
      } catch (const Cancelled&) {
        note("cancelled");
      }
    });
    scheduler_.run();
    return std::exchange(trace_, {});
  }

  struct Noted {
    explicit Noted(JoinTest& test_case) : test{test_case} {}
    ~Noted() { test.note("unwound"); }
    JoinTest& test;
  };

  Scheduler scheduler_{{}};
  std::string trace_;
};

constexpr const char* unwound = "wait cancel unwound cancelled";

std::pair<io::Descriptor, io::Descriptor> connected_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

TEST_F(JoinTest, BringsTheResultToTheJoiner) {
  auto text = spawn_joinable([] { return std::make_unique<std::string>("from afar"); });
  auto nothing = spawn_joinable([this] {
    scheduler_.yield();
    note("ran");
  });
  spawn([&] {
    nothing.join();
    note(*text.join());
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "ran from afar");
  EXPECT_FALSE(text.joinable());
}

TEST_F(JoinTest, BringsTheExceptionToTheJoiner) {
  auto failing = spawn_joinable([]() -> int { throw std::runtime_error{"broken"}; });
  spawn([&] {
    try {
      failing.join();
    } catch (const std::runtime_error& error) {
      note(error.what());
    }
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "broken");
}

TEST_F(JoinTest, CanBeJoinedAfterTheRun) {
  auto answer = spawn_joinable([] { return 42; });
  scheduler_.run();
  EXPECT_EQ(answer.join(), 42);
}

TEST_F(JoinTest, TheStackIsKeptUntilTheHandleIsGone) {
  auto first = spawn_joinable([] { return 1; });
  scheduler_.run();
  spawn([] {});
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 2U);
  EXPECT_EQ(first.join(), 1);
  spawn([] {});
  spawn([] {});
  scheduler_.run();
  EXPECT_EQ(scheduler_.stacks().created(), 2U);
}

TEST_F(JoinTest, ADroppedHandleDetaches) {
  const auto owned = std::make_shared<int>(0);
  {
    auto before = spawn_joinable([this, owned] {
      note("on its own");
      return owned;
    });
  }
  auto after = spawn_joinable([owned] { return owned; });
  scheduler_.run();
  after = {};
  EXPECT_EQ(trace_, "on its own");
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(JoinTest, AnExceptionNobodyCanHearOfTerminates) {
  static_cast<void>(spawn_joinable([] { throw std::runtime_error{"into the void"}; }));
  EXPECT_DEATH(scheduler_.run(), "into the void");
}

TEST_F(JoinTest, CancellingUnwindsEachWait) {
  Event event{scheduler_};
  auto [left, right] = connected_pair();
  std::error_code error;
  Stream reader{scheduler_, std::move(left), error};
  ASSERT_FALSE(error);
  Stream writer{scheduler_, std::move(right), error};
  ASSERT_FALSE(error);
  io::Descriptor socket =
      io::listen(io::Endpoint::parse("tcp:127.0.0.1:0", error), io::Mode::nonblocking, error);
  ASSERT_FALSE(error);
  stackful::Listener listener{scheduler_, std::move(socket), error};
  ASSERT_FALSE(error);
  std::array<std::byte, 4096> buffer{};

  EXPECT_EQ(cancelled_in([&] { scheduler_.park(); }), unwound);
  EXPECT_EQ(cancelled_in([&] { scheduler_.yield(); }), unwound);
  EXPECT_EQ(cancelled_in([&] { event.wait(); }), unwound);
  EXPECT_EQ(cancelled_in([&] { stackful::sleep_until(io::Clock::now() + 1h); }), unwound);
  EXPECT_EQ(cancelled_in([&] { reader.read_some(buffer); }), unwound);
  EXPECT_EQ(cancelled_in([&] { reader.wait_readable(); }), unwound);
  EXPECT_EQ(cancelled_in([&] { listener.accept(error); }), unwound);
  EXPECT_EQ(cancelled_in([&] {
              while (writer.write_some(buffer).bytes != 0) {
              }
            }),
            unwound);
  EXPECT_EQ(cancelled_in([&] {
              while (true) scheduler_.use_slice();  // waits for nothing, but makes way
            }),
            unwound);
  EXPECT_EQ(scheduler_.reactor().timers().size(), 0U);
}

TEST_F(JoinTest, CancellingUnwindsFromInsideAHandler) {
  EXPECT_EQ(cancelled_in([&] {
              try {
                throw std::runtime_error{"its own"};
              } catch (const std::runtime_error&) {
                scheduler_.park();
              }
            }),
            unwound);
  EXPECT_EQ(std::current_exception(), nullptr);
}

// What was waited for is as good as new: nothing of the cancelled fiber is left in it.
TEST_F(JoinTest, ACancelledWaitLeavesNothingBehind) {
  Event event{scheduler_};
  EXPECT_EQ(cancelled_in([&] { event.wait(); }), unwound);
  event.set();
  spawn([&] {
    event.wait();
    note("next");
  });
  scheduler_.run();
  EXPECT_EQ(trace_, "next");
}

TEST_F(JoinTest, AJoinIsAWaitLikeAnyOther) {
  auto endless = spawn_joinable([this] { scheduler_.park(); });
  spawn([&] {
    while (trace_ != unwound) scheduler_.yield();
    endless.cancel();
  });
  EXPECT_EQ(cancelled_in([&] { endless.join(); }), unwound);
}

TEST_F(JoinTest, AFiberCancelledBeforeItStartsRunsNothing) {
  auto handle = spawn_joinable([this] { note("ran"); });
  handle.cancel();
  scheduler_.run();
  EXPECT_THROW(handle.join(), Cancelled);
  EXPECT_EQ(trace_, "");
}

TEST_F(JoinTest, ACancelledFiberThatCatchesAllIsUnwoundFromItsNextWait) {
  auto stubborn = spawn_joinable([this] {
    for (int attempt = 0; attempt != 3; ++attempt) {
      try {
        scheduler_.park();
      } catch (...) {
        note("caught");
      }
    }
    scheduler_.park();
    note("never");
  });
  spawn([&] { stubborn.cancel(); });
  scheduler_.run();
  EXPECT_THROW(stubborn.join(), Cancelled);
  EXPECT_EQ(trace_, "caught caught caught");
}

TEST_F(JoinTest, DestructorsMayWaitWhileTheStackUnwinds) {
  Event flushed{scheduler_};
  struct Flush {
    explicit Flush(Event& signal) : event{signal} {}
    ~Flush() { event.wait(); }
    Event& event;
  };
  auto handle = spawn_joinable([&] {
    const Noted outer{*this};
    const Flush flush{flushed};
    scheduler_.park();
  });
  spawn([&] {
    handle.cancel();
    scheduler_.yield();
    scheduler_.yield();
    note("flush");
    flushed.set();
  });
  scheduler_.run();
  EXPECT_THROW(handle.join(), Cancelled);
  EXPECT_EQ(trace_, "flush unwound");
}

TEST_F(JoinTest, IsCancelledFromAnotherThread) {
  stackful::Fiber* waiting = nullptr;
  Event ready{scheduler_};
  auto handle = spawn_joinable([&] {
    waiting = &scheduler_.running();
    ready.set();
    scheduler_.park();
  });
  std::thread other;
  spawn([&] {
    ready.wait();
    other = std::thread{[&] {
      waiting->cancel();
    }};
    EXPECT_THROW(handle.join(), Cancelled);
  });
  scheduler_.run();
  other.join();
}

TEST_F(JoinTest, UnwindsThousandsAndUsesTheirStacksAgain) {
  constexpr std::size_t count = 1'000;
  std::size_t unwound_fibers = 0;
  for (int round = 0; round != 3; ++round) {
    std::vector<JoinHandle<void>> handles;
    for (std::size_t i = 0; i != count; ++i) {
      handles.push_back(spawn_joinable([&] {
        struct Count {
          std::size_t& counter;
          ~Count() { ++counter; }
        };
        const Count on_exit{unwound_fibers};
        scheduler_.park();
      }));
    }
    spawn([&] {
      for (auto& handle : handles) handle.cancel();
      for (auto& handle : handles) EXPECT_THROW(handle.join(), Cancelled);
    });
    scheduler_.run();
  }
  EXPECT_EQ(unwound_fibers, 3 * count);
  EXPECT_EQ(scheduler_.stacks().created(), count + 1);
}

}  // namespace
