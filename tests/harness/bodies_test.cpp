// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/bodies.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>

namespace harness {
namespace {

/// Runs direct bodies and makes the others at once, or meets a limit.
struct Runtime {
  template <class Body>
  std::error_code spawn(Body&& body) {
    if (full) return std::make_error_code(std::errc::resource_unavailable_try_again);
    (void)body();
    return {};
  }

  bool full = false;
};

struct Room {
  using Runtime = harness::Runtime;
};

template <Dialect D>
struct Speaker {
  using Backend = Room;
  static constexpr Dialect dialect = D;
};
using Direct = Speaker<Dialect::direct>;
using Polled = Speaker<Dialect::future>;
using Coroutine = Speaker<Dialect::coroutine>;

/// Each writes down its name, and what it was given.
struct Names {
  static void direct(std::string& said) { said += "direct "; }
  struct Future {
    explicit Future(std::string& said) { said += "future "; }
  };
  static int coroutine(std::string& said) {
    said += "coroutine ";
    return 0;
  }
};

struct Owners {
  static void direct(bool& owned, io::Descriptor own) { owned = static_cast<bool>(own); }
  static int coroutine(bool& owned, io::Descriptor own) {
    owned = static_cast<bool>(own);
    return 0;
  }
};

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

template <class C>
void expect_owner_only_where_there_is_a_task() {
  Runtime runtime;
  runtime.full = true;
  io::Descriptor descriptor{open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const int fd = descriptor.get();
  bool owned = false;
  const std::error_code refused = spawn_owner<C, Owners>(runtime, descriptor, owned);
  EXPECT_EQ(refused, std::errc::resource_unavailable_try_again);
  EXPECT_EQ(descriptor.get(), fd);
  EXPECT_TRUE(is_open(fd)) << "the limit is to be looked for before anything is closed";

  runtime.full = false;
  const std::error_code error = spawn_owner<C, Owners>(runtime, descriptor, owned);
  EXPECT_FALSE(error);
  EXPECT_TRUE(owned);
  EXPECT_FALSE(descriptor);
  EXPECT_FALSE(is_open(fd)) << "the task has ended, and its descriptor with it";
}

TEST(Bodies, EachContenderGetsTheOneInItsDialect) {
  Runtime runtime;
  std::string said;
  EXPECT_FALSE((spawn_body<Direct, Names>(runtime, said)));
  EXPECT_FALSE((spawn_body<Polled, Names>(runtime, said)));
  EXPECT_FALSE((spawn_body<Coroutine, Names>(runtime, said)));
  EXPECT_EQ(said, "direct future coroutine ");
}

TEST(Bodies, TheCoroutineServesBothPollDialectsWhereThereIsNoFuture) {
  static_assert(HasFuture<Names> && !HasFuture<Owners>);
  expect_owner_only_where_there_is_a_task<Polled>();
  expect_owner_only_where_there_is_a_task<Coroutine>();
}

TEST(Bodies, ADescriptorStaysTheCallersUntilTheTaskIsThere) {
  expect_owner_only_where_there_is_a_task<Direct>();
}

}  // namespace
}  // namespace harness
