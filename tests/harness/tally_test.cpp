// SPDX-License-Identifier: BSL-1.0
#include "harness/tally.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

Row sound() {
  Row row;
  row.set("ns_per_switch", 4);
  return row;
}

Row doubtful() {
  Row row = sound();
  row.doubt("noisy", "ns_per_switch");
  return row;
}

TEST(Tally, OfSoundRefusedAndDoubtedRowsIsAGoodEnd) {
  Tally tally;
  tally.add(sound());
  tally.add(doubtful());
  tally.add("b/threads", Failure{"refused: pid_max reached=9 limit=10"});
  EXPECT_EQ(tally.outcome(false, false).status, 0);
  EXPECT_EQ(tally.outcome(false, false).why, "");
}

TEST(Tally, NamesTheFirstThatFailed) {
  Tally tally;
  tally.add(sound());
  tally.add("b/fibers", Failure{"crashed: SIGSEGV"});
  tally.add("b/futures", Failure{"timeout: after 3 s"});
  EXPECT_EQ(tally.outcome(false, true).status, 1);
  EXPECT_EQ(tally.outcome(false, true).why,
            "2 of 3 rows failed, the first: b/fibers: crashed: SIGSEGV");
}

TEST(Tally, TellsHowFarAnInterruptedProgramCame) {
  Tally tally;
  tally.add(sound());
  tally.add("b/fibers", Failure{"wrong: byte 7"});
  tally.add("b/futures", Failure{"interrupted: by a signal"});
  EXPECT_EQ(tally.outcome(true, true).status, 130);
  EXPECT_EQ(tally.outcome(true, true).why, "interrupted: 1 of 3 rows are measured");
}

TEST(Tally, CountsDoubtsOnlyWhereThatIsStrict) {
  Tally tally;
  tally.add(doubtful());
  EXPECT_EQ(tally.outcome(false, true).status, 1);
  EXPECT_EQ(tally.outcome(false, true).why, "1 of 1 rows are in doubt, which --strict forbids");
}

}  // namespace
}  // namespace harness
