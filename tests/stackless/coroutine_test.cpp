// SPDX-License-Identifier: BSL-1.0
#include "stackless/coroutine.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "stackless/map.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/sleep.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {
namespace {

using test::Counted;
using test::FaultsThrow;
using test::Probe;
using test::Trace;

static_assert(Future<Async<>> && Future<Async<int>> && Future<Async<std::unique_ptr<int>>>);
static_assert(!std::is_move_constructible_v<Async<>> && !std::is_copy_constructible_v<Async<>>);
static_assert(sizeof(Async<std::string>) == sizeof(void*));

/// Says when it begins and when it is destroyed.
class Scope {
 public:
  Scope(Trace& trace, std::string name) : trace_{&trace}, name_{std::move(name)} {
    trace_->push_back(name_ + " begins");
  }
  ~Scope() { trace_->push_back(name_ + " ends"); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Trace* trace_;
  std::string name_;
};

/// Polls until ready; the number of polls it took.
template <class F>
int run(Probe& probe, F& future) {
  for (int polls = 1;; ++polls) {
    if (probe.poll(future).is_ready()) return polls;
  }
}

Async<> inner(Trace& trace) {
  const Scope scope{trace, "inner"};
  co_await yield();
}

Async<> outer(Trace& trace) {
  const Scope scope{trace, "outer"};
  co_await inner(trace);
  co_await inner(trace);
}

TEST(Coroutine, IsLazy) {
  Trace trace;
  { Async<> never_polled = outer(trace); }
  EXPECT_TRUE(trace.empty());
}

TEST(Coroutine, GoesOnWhereItStopped) {
  Trace trace;
  Probe probe;
  Async<> future = outer(trace);
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(trace, (Trace{"outer begins", "inner begins"}));
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(trace, (Trace{"outer begins", "inner begins", "inner ends", "inner begins"}));
  EXPECT_TRUE(probe.poll(future).is_ready());
  EXPECT_EQ(trace, (Trace{"outer begins", "inner begins", "inner ends", "inner begins",
                          "inner ends", "outer ends"}));
  EXPECT_EQ(probe.wakes, 2);
}

TEST(Coroutine, DroppedItEndsFromTheInsideOut) {
  for (int polls = 0; polls < 3; ++polls) {
    Trace trace;
    {
      Probe probe;
      Async<> future = outer(trace);
      for (int i = 0; i < polls; ++i) EXPECT_TRUE(probe.poll(future).is_pending());
    }
    if (polls == 0) {
      EXPECT_TRUE(trace.empty());
      continue;
    }
    ASSERT_GE(trace.size(), 2U);
    EXPECT_EQ(trace.back(), "outer ends");
    EXPECT_EQ(trace[trace.size() - 2], "inner ends");
  }
}

// ---- outputs

Async<std::unique_ptr<int>> boxed(int value) {
  co_await yield();
  co_return std::make_unique<int>(value);
}

Async<std::string> text(int value) {
  co_return std::to_string(*co_await boxed(value));
}

TEST(Coroutine, HandsOverWhatCannotBeCopied) {
  Probe probe;
  Async<std::string> future = text(42);
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), "42");
}

auto later(int value) {
  return poll_fn([value, first = true](Context& context) mutable -> Poll<int> {
    if (!std::exchange(first, false)) return value;
    context.waker().wake_by_ref();
    return pending;
  });
}

auto at_once(int value) {
  return poll_fn([value](Context&) -> Poll<int> { return value; });
}

Async<int> sum() {
  auto named = later(1);
  Async<std::string> named_coroutine = text(10);
  const int first = co_await named;
  const std::string second = co_await named_coroutine;
  co_return first + std::stoi(second) + co_await later(100) + co_await at_once(1000);
}

TEST(Coroutine, AwaitsAnyFutureAsATemporaryOrByName) {
  Probe probe;
  Async<int> future = sum();
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), 1111);
}

Async<int> count_polls(int& polls, int needed) {
  co_await poll_fn([&](Context&) -> Poll<> { return ++polls == needed ? ready : Poll<>{pending}; });
  co_return polls;
}

TEST(Coroutine, ASpuriousPollOnlyPollsTheLeaf) {
  int polls = 0;
  Probe probe;
  Async<int> future = count_polls(polls, 5);
  EXPECT_EQ(run(probe, future), 5);
  EXPECT_EQ(polls, 5);
}

TEST(Coroutine, RefusesPollsAfterCompletion) {
  const FaultsThrow faults_throw;
  Probe probe;
  int polls = 0;
  Async<int> future = count_polls(polls, 1);
  EXPECT_EQ(probe.poll(future).take(), 1);
  EXPECT_THROW(static_cast<void>(probe.poll(future)), test::Fault);
}

Async<> await_begun_child(Trace& trace) {
  Probe probe;
  Async<> child = inner(trace);
  EXPECT_TRUE(probe.poll(child).is_pending());
  co_await child;
}

TEST(Coroutine, AwaitsByNameWhatHasBeenPolledBefore) {
  Trace trace;
  Probe probe;
  Async<> future = await_begun_child(trace);
  EXPECT_TRUE(probe.poll(future).is_ready());
  EXPECT_EQ(trace, (Trace{"inner begins", "inner ends"}));
}

// ---- temporaries: compilers have destroyed them twice or not at all

Async<int> value_of(Counted, int value) {
  co_await yield();
  co_return value;
}

Async<int> temporaries(int& alive) {
  const int left = co_await value_of(Counted{alive}, 1) + co_await value_of(Counted{alive}, 2);
  const int right = co_await value_of(Counted{alive}, co_await value_of(Counted{alive}, 3));
  if (co_await value_of(Counted{alive}, 1) == 1) co_return left + right;
  co_return 0;
}

TEST(Coroutine, TemporariesInAwaitsDieOnce) {
  for (int polls = 0; polls <= 6; ++polls) {
    int alive = 0;
    {
      Probe probe;
      Async<int> future = temporaries(alive);
      for (int i = 0; i < polls; ++i) static_cast<void>(probe.poll(future));
    }
    EXPECT_EQ(alive, 0) << polls;
  }
  int alive = 0;
  Probe probe;
  Async<int> future = temporaries(alive);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), 6);
}

/// Within the rules for GCC: a callable that captures what has a destructor is named first.
Async<int> named_captures(int& alive) {
  const auto add_to = [kept = Counted{alive}](int value) {
    return value + 1;
  };
  co_return co_await map([] { return later(41); }, add_to);
}

TEST(Coroutine, NamedCapturesDieOnce) {
  for (int polls = 0; polls < 3; ++polls) {
    int alive = 0;
    {
      Probe probe;
      Async<int> future = named_captures(alive);
      for (int i = 0; i < polls; ++i) static_cast<void>(probe.poll(future));
    }
    EXPECT_EQ(alive, 0) << polls;
  }
}

}  // namespace
}  // namespace stackless
