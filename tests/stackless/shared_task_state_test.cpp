// SPDX-License-Identifier: BSL-1.0
#include "stackless/shared_task_state.hpp"

#include <gtest/gtest.h>

namespace stackless {
namespace {

void bring_to(SharedTaskState& state, Phase phase) {
  if (phase == Phase::cancelled) state.mark_cancelled();
  if (phase == Phase::scheduled) return;
  static_cast<void>(state.begin());
  if (phase == Phase::running_woken) static_cast<void>(state.wake());
  if (phase == Phase::idle) static_cast<void>(state.end());
  if (phase == Phase::complete) state.finish();
  EXPECT_EQ(state.phase(), phase);
}

TEST(SharedTaskState, BeginRunsWhatIsScheduled) {
  SharedTaskState state;
  EXPECT_EQ(state.phase(), Phase::scheduled);
  EXPECT_TRUE(state.begin());
  EXPECT_EQ(state.phase(), Phase::running);
}

TEST(SharedTaskState, WakeSchedulesOnlyWhatIsIdle) {
  SharedTaskState state;
  bring_to(state, Phase::idle);
  EXPECT_TRUE(state.wake());
  EXPECT_EQ(state.phase(), Phase::scheduled);
}

TEST(SharedTaskState, WakeWhileRunningIsRemembered) {
  SharedTaskState state;
  bring_to(state, Phase::running);
  EXPECT_FALSE(state.wake());
  EXPECT_EQ(state.end(), Phase::scheduled);
}

TEST(SharedTaskState, WakeChangesNothingElsewhere) {
  for (const Phase phase :
       {Phase::scheduled, Phase::running_woken, Phase::complete, Phase::cancelled}) {
    SharedTaskState state;
    bring_to(state, phase);
    EXPECT_FALSE(state.wake());
    EXPECT_EQ(state.phase(), phase);
  }
}

TEST(SharedTaskState, EndGoesIdle) {
  SharedTaskState state;
  bring_to(state, Phase::running);
  EXPECT_EQ(state.end(), Phase::idle);
}

TEST(SharedTaskState, AMarkIsActedOnByWhoeverHasTheTaskInHand) {
  SharedTaskState scheduled;
  scheduled.mark_cancelled();
  EXPECT_FALSE(scheduled.begin());
  EXPECT_EQ(scheduled.phase(), Phase::cancelled);

  SharedTaskState running;
  bring_to(running, Phase::running);
  running.mark_cancelled();
  EXPECT_EQ(running.end(), Phase::cancelled);

  SharedTaskState idle;
  bring_to(idle, Phase::idle);
  idle.mark_cancelled();
  EXPECT_TRUE(idle.wake());
  EXPECT_FALSE(idle.begin());
}

TEST(SharedTaskState, FinishCompletesWhateverHappenedMeanwhile) {
  SharedTaskState state;
  bring_to(state, Phase::running_woken);
  state.mark_cancelled();
  state.finish();
  EXPECT_EQ(state.phase(), Phase::complete);
  EXPECT_FALSE(state.wake());
}

}  // namespace
}  // namespace stackless
