// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <gtest/gtest.h>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "stackful/io.hpp"
#include "stackful/sleep.hpp"
#include "tests/stackful/connected_pair.hpp"
#include "tests/stackful/join_fixture.hpp"

namespace {

using namespace std::chrono_literals;
using stackful::Cancelled;
using stackful::Event;
using stackful::JoinHandle;
using stackful::Stream;

constexpr const char* unwound = "wait cancel unwound cancelled";

TEST_F(JoinTest, CancellingUnwindsEachWait) {
  Event event{scheduler_};
  ConnectedStreams<Stream> streams{scheduler_};
  std::error_code error;
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
  EXPECT_EQ(cancelled_in([&] { streams.here.read_some(buffer); }), unwound);
  EXPECT_EQ(cancelled_in([&] { streams.here.wait_readable(); }), unwound);
  EXPECT_EQ(cancelled_in([&] { listener.accept(error); }), unwound);
  EXPECT_EQ(cancelled_in([&] {
              while (streams.there.write_some(buffer).bytes != 0) {
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
