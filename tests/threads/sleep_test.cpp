// SPDX-License-Identifier: BSL-1.0
#include "threads/sleep.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <thread>

#include "io/counters.hpp"

namespace {

using std::chrono::milliseconds;

TEST(ThreadsSleep, NeverEndsEarly) {
  for (const auto pause : {io::Duration{1}, io::Duration{999}, io::Duration{milliseconds{5}}}) {
    const io::TimePoint deadline = io::Clock::now() + pause;
    threads::sleep_until(deadline);
    EXPECT_GE(io::Clock::now(), deadline);
  }
}

TEST(ThreadsSleep, ReturnsAtOnceForMomentsBeforeTheClocksZero) {
  threads::sleep_until(io::TimePoint::min());
  threads::sleep_until(io::TimePoint{} - std::chrono::hours{1});
}

TEST(ThreadsSleep, SleepsOnAfterASignal) {
  struct sigaction ignore_but_interrupt {};
  ignore_but_interrupt.sa_handler = [](int) {
  };
  ASSERT_EQ(sigaction(SIGUSR1, &ignore_but_interrupt, nullptr), 0);
  const io::SystemCalls before = io::system_calls();
  const io::TimePoint deadline = io::Clock::now() + milliseconds{50};
  std::thread sleeper{[deadline] {
    threads::sleep_until(deadline);
    EXPECT_GE(io::Clock::now(), deadline);
  }};
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(milliseconds{2});
    EXPECT_EQ(pthread_kill(sleeper.native_handle(), SIGUSR1), 0);
  }
  sleeper.join();
  EXPECT_GE((io::system_calls() - before)[io::SystemCall::wait], 1U);
}

TEST(ThreadsYield, IsCounted) {
  const io::SystemCalls before = io::system_calls();
  threads::yield();
  threads::yield();
  EXPECT_EQ((io::system_calls() - before)[io::SystemCall::yield], 2U);
}

}  // namespace
