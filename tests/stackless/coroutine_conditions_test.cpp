// SPDX-License-Identifier: BSL-1.0
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "stackless/coroutine.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Probe;

Async<int> next(int& left) {
  co_return left == 0 ? 0 : left--;
}

// A condition awaits a temporary, and the coroutine has no local of its own.

Async<> bare_while(int& left, int& seen) {
  while (co_await next(left)) ++seen;
}
Async<> bare_compared(int& left, int& seen) {
  while (co_await next(left) != 0) ++seen;
}
Async<> bare_for(int& left, int& seen) {
  for (; co_await next(left);) ++seen;
}
Async<> bare_do(int& left, int& seen) {
  do ++seen;
  while (co_await next(left) > 1);
}
Async<> bare_if_else(int& left, int& seen) {
  for (;;) {
    if (co_await next(left)) {
      ++seen;
    } else {
      co_return;
    }
  }
}
Async<> bare_ifs(int& left, int& seen) {
  if (co_await next(left)) ++seen;
  if (co_await next(left)) ++seen;
  if (co_await next(left)) ++seen;
}
Async<> bare_switch(int& left, int& seen) {
  switch (co_await next(left)) {
    case 3:
      seen = 3;
      break;
    default:
      break;
  }
}
Async<> bare_after_another_statement(int& left, int& seen) {
  seen = 0;
  while (co_await next(left)) ++seen;
}
Async<> bare_in_a_child(int& left, int& seen) {
  co_await bare_while(left, seen);
}
Async<int> bare_with_output(int& left, int& seen) {
  if (co_await next(left) == 0) co_return 1;
  seen = 3;
  co_return 2;
}

// The same, named.

Async<> named_in_the_condition(int& left, int& seen) {
  while (const int got = co_await next(left)) seen += got != 0 ? 1 : 0;
}
Async<> named_before(int& left, int& seen) {
  for (;;) {
    const int got = co_await next(left);
    if (got == 0) co_return;
    ++seen;
  }
}

template <class T>
bool sees_three(Async<T> (*make)(int&, int&)) {
  int left = 3;
  int seen = 0;
  Probe probe;
  Async<T> future = make(left, seen);
  return probe.poll(future).is_ready() && seen == 3;
}

TEST(CoroutineConditions, NameWhatTheyAwait) {
  EXPECT_TRUE(sees_three(named_in_the_condition));
  EXPECT_TRUE(sees_three(named_before));
}

/// What a compiler makes of them is not ours to say, but it is said: they run as they are written,
/// or end the program, with our fault or where GCC 12 runs off what it has left of the body: an
/// illegal instruction or access, which says nothing. Unless a sanitizer's handler makes an exit of
/// it, with a report: so that one is taken away.
template <class T>
void expect_right_or_fatal(Async<T> (*make)(int&, int&), const char* name) {
  const auto right_or_ended = [](int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status) == EXIT_SUCCESS;
    const int signal = WTERMSIG(status);
    return signal == SIGABRT || signal == SIGILL || signal == SIGSEGV;
  };
  EXPECT_EXIT(
      {
        for (const int signal : {SIGILL, SIGSEGV}) std::signal(signal, SIG_DFL);
        if (!sees_three(make)) std::_Exit(EXIT_FAILURE);
        std::fputs("as written", stderr);
        std::_Exit(EXIT_SUCCESS);
      },
      right_or_ended, "as written|stackless: a coroutine stopped in a condition|^$")
      << name;
}

TEST(CoroutineConditions, ThatLoseTheirBodyDoNotPassForEnded) {
  expect_right_or_fatal(bare_while, "while");
  expect_right_or_fatal(bare_compared, "compared");
  expect_right_or_fatal(bare_for, "for");
  expect_right_or_fatal(bare_do, "do");
  expect_right_or_fatal(bare_if_else, "if, else");
  expect_right_or_fatal(bare_ifs, "ifs");
  expect_right_or_fatal(bare_switch, "switch");
  expect_right_or_fatal(bare_after_another_statement, "after another statement");
  expect_right_or_fatal(bare_in_a_child, "in a child");
  expect_right_or_fatal(bare_with_output, "with output");
}

}  // namespace
}  // namespace stackless
