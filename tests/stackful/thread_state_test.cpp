// SPDX-License-Identifier: BSL-1.0
// What a thread keeps for whoever runs on it has to follow the fiber, not the thread.
#include <cerrno>
#include <cfenv>
#include <exception>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "tests/stackful/scheduler_fixture.hpp"

namespace {

using stackful::Scheduler;

class ThreadStateTest : public SchedulerTest {};

TEST_F(ThreadStateTest, AFiberSwitchesInsideAHandlerAndRethrowsItsOwn) {
  for (const std::string who : {"a", "b", "c"}) {
    spawn([this, who] {
      for (int round = 0; round != 100; ++round) {
        std::string caught;
        try {
          try {
            throw std::runtime_error{who};
          } catch (...) {
            scheduler_.yield();
            throw;
          }
        } catch (const std::runtime_error& error) {
          scheduler_.yield();
          caught = error.what();
        }
        EXPECT_EQ(caught, who);
        EXPECT_EQ(std::current_exception(), nullptr);
      }
    });
  }
  scheduler_.run();
}

TEST_F(ThreadStateTest, AFreshFiberDoesNotInheritTheHandlerItWasStartedFrom) {
  spawn([this] {
    try {
      throw std::runtime_error{"outer"};
    } catch (const std::runtime_error&) {
      spawn([] { EXPECT_EQ(std::current_exception(), nullptr); });
      scheduler_.yield();
      EXPECT_NE(std::current_exception(), nullptr);
    }
  });
  scheduler_.run();
}

TEST_F(ThreadStateTest, ADestructorSwitchesWhileTheStackUnwinds) {
  struct YieldsWhenDestroyed {
    explicit YieldsWhenDestroyed(Scheduler& whose) : scheduler{whose} {}
    ~YieldsWhenDestroyed() {
      scheduler.yield();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
    Scheduler& scheduler;
  };
  int caught = 0;
  for (int i = 0; i != 3; ++i) {
    spawn([&] {
      try {
        const YieldsWhenDestroyed in_flight{scheduler_};
        throw std::runtime_error{"on its way"};
      } catch (const std::runtime_error&) {
        ++caught;
      }
    });
    spawn([&] {
      for (int round = 0; round != 3; ++round) {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        scheduler_.yield();
      }
    });
  }
  scheduler_.run();
  EXPECT_EQ(caught, 3);
}

TEST_F(ThreadStateTest, TheCallerOfRunKeepsItsOwnHandler) {
  spawn([] {
    try {
      throw 1;
    } catch (int) {
    }
  });
  try {
    throw std::runtime_error{"caller"};
  } catch (const std::runtime_error& error) {
    scheduler_.run();
    EXPECT_NE(std::current_exception(), nullptr);
    EXPECT_STREQ(error.what(), "caller");
  }
}

TEST_F(ThreadStateTest, ErrnoBelongsToTheFiber) {
  for (const int number : {EINTR, ENOENT, EPIPE}) {
    spawn([this, number] {
      EXPECT_EQ(errno, 0);
      for (int round = 0; round != 100; ++round) {
        errno = number;
        scheduler_.yield();
        EXPECT_EQ(errno, number);
      }
    });
  }
  scheduler_.run();
}

TEST_F(ThreadStateTest, RoundingBelongsToTheFiber) {
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    spawn([this, mode] {
      ASSERT_EQ(std::fesetround(mode), 0);
      for (int round = 0; round != 100; ++round) {
        scheduler_.yield();
        EXPECT_EQ(std::fegetround(), mode);
      }
    });
  }
  scheduler_.run();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_F(ThreadStateTest, AFiberStartsWithTheRoundingOfItsSpawner) {
  spawn([this] {
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
    spawn([] { EXPECT_EQ(std::fegetround(), FE_UPWARD); });
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  });
  spawn([] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); });
  scheduler_.run();
}

}  // namespace
