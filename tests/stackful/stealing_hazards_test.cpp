// SPDX-License-Identifier: BSL-1.0
// The hazards that stealing is documented with (stackful/options.hpp), each shown. Built a second
// time with link-time optimisation, where compilers see through more.
#include <cerrno>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

#include "tests/stackful/stealing.hpp"

namespace tests {
namespace {

[[gnu::noinline]] std::thread::id thread_now() {
  asm volatile("" ::: "memory");
  return std::this_thread::get_id();
}

// What is written there, the new thread does not
// see. What the compiler does with an address that it has computed itself is its own choice: told,
// not judged.
TEST_F(StealingTest, AnAddressFromBeforeIsThatOfTheOldThread) {
  spawn_drivers_and([&] {
    int* const kept = where_it_is_now();
    change_threads();
    *where_it_is_now() = 1;
    *kept = 5;
    EXPECT_EQ(*where_it_is_now(), 1);
    of_this_thread = 2;
    const bool cached = *where_it_is_now() != 2;
    RecordProperty("thread-local address cached across the switch", cached ? "yes" : "no");
    arrive();
  });
  runtime_.run();
}

TEST_F(StealingTest, TheThreadsNameIsNotTheFibers) {
  spawn_drivers_and([&] {
    const std::thread::id before = thread_now();
    change_threads();
    EXPECT_NE(thread_now(), before);
    change_threads();
    EXPECT_EQ(thread_now(), before);
    arrive();
  });
  runtime_.run();
  EXPECT_TRUE(arrived_);
}

TEST_F(StealingTest, AMutexHeldAcrossAYieldIsTheOldThreadsToUnlock) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer reports the very mistake that is shown here";
#endif
  pthread_mutexattr_t checked;
  ASSERT_EQ(pthread_mutexattr_init(&checked), 0);
  ASSERT_EQ(pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK), 0);
  pthread_mutex_t mutex;
  ASSERT_EQ(pthread_mutex_init(&mutex, &checked), 0);
  spawn_drivers_and([&] {
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    change_threads();
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
    change_threads();
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    arrive();
  });
  runtime_.run();
  EXPECT_TRUE(arrived_);
}

}  // namespace
}  // namespace tests
