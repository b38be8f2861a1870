// SPDX-License-Identifier: BSL-1.0
#include "io/reactor.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <mutex>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "io/counters.hpp"
#include "tests/io/alarm.hpp"
#include "tests/io/wired.hpp"

namespace {

using io::Clock;
using io::Reactor;
using io::SystemCall;
using io::TimePoint;
using io::WaitMethod;
using namespace std::chrono_literals;

struct RingingTimer : io::Timer {
  RingingTimer() {
    notify = [](io::Waiter& waiter) noexcept {
      ++static_cast<RingingTimer&>(waiter).rung;
    };
  }
  int rung = 0;
};

/// Everything holds for both ways to wait.
class ReactorTest : public testing::TestWithParam<WaitMethod> {
 protected:
  Reactor reactor{GetParam()};
};

TEST_P(ReactorTest, APassedDeadlineOnlyLooks) {
  const io::SystemCalls before = io::system_calls();
  EXPECT_EQ(reactor.turn(TimePoint::min()), 0U);
  EXPECT_EQ(reactor.turn(TimePoint{}), 0U);
  EXPECT_EQ(reactor.turn(Clock::now()), 0U);
  EXPECT_EQ((io::system_calls() - before)[SystemCall::wait], 3U);
}

TEST_P(ReactorTest, ALookFindsATimerThatIsDue) {
  RingingTimer timer;
  reactor.timers().insert(timer, TimePoint::min());
  EXPECT_EQ(reactor.look(), 1U);
  EXPECT_EQ(timer.rung, 1);
}

TEST_P(ReactorTest, ALookForNothingMakesNoSystemCall) {
  const io::SystemCalls before = io::system_calls();
  EXPECT_EQ(reactor.look(), 0U);
  EXPECT_EQ((io::system_calls() - before)[SystemCall::wait], 0U);
}

TEST_P(ReactorTest, WaitsUntilItsDeadlineAndNotShorter) {
  for (const auto span : {1us, 300us, 5'000us, 40'000us}) {
    const TimePoint deadline = Clock::now() + span;
    EXPECT_EQ(reactor.turn(deadline), 0U);
    EXPECT_GE(Clock::now(), deadline);
  }
}

TEST_P(ReactorTest, FiresTimersNeverEarlyAndWithOneWait) {
  for (const auto span : {0us, 1us, 300us, 5'000us}) {
    RingingTimer timer;
    reactor.turn(TimePoint::min());
    const TimePoint deadline = Clock::now() + span;
    reactor.timers().insert(timer, deadline);
    const io::SystemCalls before = io::system_calls();
    EXPECT_EQ(reactor.turn(io::never), 1U);
    EXPECT_GE(Clock::now(), deadline);
    EXPECT_EQ(timer.rung, 1);
    EXPECT_EQ((io::system_calls() - before)[SystemCall::wait], 1U);
  }
}

TEST_P(ReactorTest, ADeadlineBeforeTheNextTimerEndsTheTurn) {
  RingingTimer timer;
  reactor.timers().insert(timer, Clock::now() + 1h);
  EXPECT_EQ(reactor.turn(Clock::now() + 1ms), 0U);
  EXPECT_TRUE(timer.armed());
  reactor.timers().cancel(timer);
}

TEST_P(ReactorTest, ATimerThatNeverComesDoesNotEndTheWait) {
  RingingTimer timer;
  reactor.timers().insert(timer, io::never);
  reactor.wake();
  EXPECT_EQ(reactor.turn(io::never), 0U);
  reactor.timers().cancel(timer);
}

TEST_P(ReactorTest, AWakeBeforehandEndsTheNextTurnAndOnlyThat) {
  reactor.wake();
  EXPECT_EQ(reactor.turn(io::never), 0U);
  const TimePoint deadline = Clock::now() + 1ms;
  reactor.turn(deadline);
  EXPECT_GE(Clock::now(), deadline);
}

TEST_P(ReactorTest, WakesAreCoalesced) {
  const io::SystemCalls before = io::system_calls();
  for (int round = 1; round != 4; ++round) {
    for (int i = 0; i != 1000; ++i) reactor.wake();
    EXPECT_EQ((io::system_calls() - before)[SystemCall::wake], static_cast<unsigned>(round));
    reactor.turn(io::never);
  }
}

TEST_P(ReactorTest, NoWakeFromOtherThreadsIsLost) {
  constexpr int threads = 4;
  constexpr int messages = 5000;
  std::mutex mutex;
  int inbox = 0;
  std::vector<std::jthread> crowd;
  for (int i = 0; i != threads; ++i) {
    crowd.emplace_back([&] {
      for (int message = 0; message != messages; ++message) {
        {
          const std::lock_guard lock{mutex};
          ++inbox;
        }
        reactor.wake();
      }
    });
  }
  for (int received = 0; received != threads * messages;) {
    reactor.turn(io::never);  // a lost wake hangs here
    const std::lock_guard lock{mutex};
    received += std::exchange(inbox, 0);
  }
}

// What a waker wrote is seen, by the wake alone and even by a wake that was coalesced.
TEST_P(ReactorTest, AWakePublishesWhatWasWrittenBefore) {
  constexpr int rounds = 2000;
  std::atomic<int> acknowledged{0};
  std::array<int, 2> plain{};  // not atomic: a race here is for the thread sanitizer to find
  std::jthread waker{[&] {
    for (int round = 1; round <= rounds; ++round) {
      plain = {round, round};
      reactor.wake();
      while (acknowledged.load(std::memory_order_acquire) != round) std::this_thread::yield();
    }
  }};
  for (int round = 1; round <= rounds; ++round) {
    reactor.turn(io::never);
    EXPECT_EQ(plain[0], round);
    EXPECT_EQ(plain[1], round);
    acknowledged.store(round, std::memory_order_release);
  }
}

Reactor* woken_by_signal = nullptr;

TEST_P(ReactorTest, ASignalHandlerCanWake) {
  woken_by_signal = &reactor;
  const Alarm alarm{[](int) {
    woken_by_signal->wake();
  }};
  for (int i = 0; i != 3; ++i) reactor.turn(io::never);
}

TEST_P(ReactorTest, ASignalAloneDoesNotEndTheTurn) {
  static std::atomic<int> signals;
  signals = 0;
  const Alarm alarm{[](int) {
    ++signals;
  }};
  const TimePoint deadline = Clock::now() + 20ms;
  reactor.turn(deadline);
  EXPECT_GE(Clock::now(), deadline);
  EXPECT_GT(signals, 0);
}

TEST_P(ReactorTest, MoreEventsThanABatchTakeSeveralTurns) {
  constexpr std::size_t many = 300;
  std::vector<Pair> pairs(many);
  std::vector<std::unique_ptr<io::Source>> sources;
  std::vector<Bell> bells(many);
  for (std::size_t i = 0; i != many; ++i) {
    std::error_code error;
    sources.push_back(std::make_unique<io::Source>(reactor, std::move(pairs[i].ours), error));
    ASSERT_FALSE(error) << error.message();
    sources.back()->await_readable(&bells[i]);
    send_all(pairs[i].theirs, "x");
  }
  std::size_t notified = 0;
  for (int turn = 0; notified != many && turn != 3; ++turn) notified += reactor.turn(io::never);
  EXPECT_EQ(notified, many);
  for (const Bell& bell : bells) EXPECT_EQ(bell.rung, 1);
}

INSTANTIATE_TEST_SUITE_P(Methods, ReactorTest,
                         testing::Values(WaitMethod::epoll_pwait2, WaitMethod::ppoll),
                         [](const auto& method) {
                           return method.param == WaitMethod::ppoll ? "ppoll" : "epoll_pwait2";
                         });

/// From here on this process has no epoll_pwait2, as under an old kernel or valgrind.
void take_away_epoll_pwait2() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) std::_Exit(2);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) std::_Exit(3);
}

TEST(ReactorDeathTest, FindsTheOtherWayToWaitWhenTheKernelHasNoEpollPwait2) {
  const auto live_without = [] {
    take_away_epoll_pwait2();
    Reactor reactor;
    RingingTimer timer;
    const TimePoint deadline = Clock::now() + 1ms;
    reactor.timers().insert(timer, deadline);
    reactor.turn(io::never);
    const bool right =
        reactor.wait_method() == WaitMethod::ppoll && timer.rung == 1 && Clock::now() >= deadline;
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(live_without(), testing::ExitedWithCode(0), "");
}

}  // namespace
