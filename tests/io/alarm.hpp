// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <gtest/gtest.h>
#include <sys/time.h>

/// Raises SIGALRM every 2 ms, and interrupts system calls by it (no SA_RESTART).
class Alarm {
 public:
  explicit Alarm(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    EXPECT_EQ(::sigaction(SIGALRM, &action, &before_), 0);
    const itimerval often{.it_interval = {0, 2000}, .it_value = {0, 2000}};
    EXPECT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  }
  ~Alarm() {
    const itimerval off{};
    EXPECT_EQ(::setitimer(ITIMER_REAL, &off, nullptr), 0);
    EXPECT_EQ(::sigaction(SIGALRM, &before_, nullptr), 0);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  struct sigaction before_ {};
};
