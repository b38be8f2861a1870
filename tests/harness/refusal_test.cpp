// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>

#include "tests/harness/run.hpp"

namespace harness {
namespace {

/// How a cell ends, which must be no defect: its refusal, or nothing when it has figures.
std::string refusal_of(const std::string& program, const std::string& cell) {
  Running running{program, {"--cell=" + cell, "--benchmark_format=json", "--seconds=0.02"}};
  EXPECT_EQ(running.wait(), 0) << running.err();
  return rows_of(running.out()).at(cell).value("error_message", "");
}

TEST(Refusal, IsNotForWhatHasNoMeaning) {
  EXPECT_EQ((Running{"bench-switch", {"--cell=switch/threads/tasks:2/via:yield/cpus:2"}}.wait()),
            2);
  EXPECT_EQ((Running{"bench-switch", {"--cell=switch/floor-context/tasks:2/colour:off"}}.wait()),
            2);
}

TEST(Refusal, SaysWhatAContenderDoesNotHave) {
  EXPECT_EQ(refusal_of("bench-switch", "switch/fibers/tasks:2/cpus:2"),
            "refused: fibers run on one worker here");
  for (const auto* floor :
       {"floor-inline", "floor-context", "floor-poll", "floor-poll-waker", "floor-yield"}) {
    EXPECT_EQ(refusal_of("bench-switch", std::string{"switch/"} + floor + "/tasks:2/cpus:2"),
              std::string{"refused: "} + floor + " knows one CPU only");
  }
  EXPECT_EQ(refusal_of("bench-switch", "switch/threads/tasks:2/colour:off"),
            "refused: threads have no stack pool, so no colour");
  EXPECT_EQ(refusal_of("bench-switch", "switch/fibers/tasks:2/colour:off"), "");
  EXPECT_EQ(refusal_of("bench-memory", "memory/futures/state:sleeping/tasks:100/stack:65536"),
            "refused: futures have no stack parameter");
  EXPECT_EQ(refusal_of("bench-memory", "memory/floor-socket/state:sleeping/tasks:100"),
            "refused: floor-socket does not sleep");
  for (const auto* floor : {"floor-timer", "floor-page"}) {
    EXPECT_EQ(
        refusal_of("bench-memory", std::string{"memory/"} + floor + "/state:connected/tasks:100"),
        std::string{"refused: "} + floor + " has no connections");
  }
}

// What its README declares as differences, where a row asks for it.
TEST(Refusal, SaysWhatBoostFibersCannotDo) {
  EXPECT_EQ(refusal_of("bench-switch", "switch/boost-fibers/tasks:2/cpus:2"),
            "refused: boost-fibers run on one worker here");
  EXPECT_EQ(refusal_of("bench-parallel", "parallel/boost-fibers/work:burst/workers:2/tasks:4"),
            "refused: boost-fibers run on one worker");
  for (const auto* what : {"read", "sleep"}) {
    EXPECT_EQ(
        refusal_of("bench-cancel", std::string{"cancel/boost-fibers/what:"} + what + "/tasks:10"),
        "refused: boost-fibers cannot be cancelled");
  }
}

/// A lower soft limit, for programs started meanwhile.
class LowerLimit {
 public:
  LowerLimit(int resource, rlim_t limit) : resource_{resource} {
    EXPECT_EQ(getrlimit(which(), &before_), 0);
    const rlimit lower{limit, before_.rlim_max};
    EXPECT_EQ(setrlimit(which(), &lower), 0);
  }
  ~LowerLimit() { EXPECT_EQ(setrlimit(which(), &before_), 0); }
  LowerLimit(const LowerLimit&) = delete;
  LowerLimit& operator=(const LowerLimit&) = delete;

 private:
  [[nodiscard]] __rlimit_resource which() const {
    return static_cast<__rlimit_resource>(resource_);
  }

  int resource_;
  rlimit before_{};
};

TEST(Refusal, ComesNotBeforeTheHardLimitOfDescriptors) {
  const LowerLimit lower{RLIMIT_NOFILE, 200};
  for (const auto* contender : {"threads", "futures", "floor-socket"}) {
    const std::string cell = std::string{"memory/"} + contender + "/state:connected/tasks:400";
    EXPECT_EQ(refusal_of("bench-memory", cell), "") << contender;
  }
}

TEST(Refusal, NamesTheServersLimitNotItsClientsTrouble) {
  const LowerLimit lower{RLIMIT_AS, rlim_t{1} << 30};
  const std::string said =
      refusal_of("bench-memory", "memory/threads/state:connected/tasks:400/stack:16777216");
  EXPECT_TRUE(said.starts_with("refused: RLIMIT_AS reached=")) << said;
}

}  // namespace
}  // namespace harness
