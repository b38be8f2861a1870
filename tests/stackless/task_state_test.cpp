// SPDX-License-Identifier: BSL-1.0
#include "stackless/task_state.hpp"

#include <gtest/gtest.h>

namespace stackless {
namespace {

TaskState in(Phase phase) {
  TaskState state;  // scheduled
  if (phase == Phase::scheduled) return state;
  if (phase == Phase::cancelled) {
    state.cancel();
    return state;
  }
  static_cast<void>(state.begin());
  if (phase == Phase::running_woken) static_cast<void>(state.wake());
  if (phase == Phase::idle) static_cast<void>(state.end());
  if (phase == Phase::complete) state.finish();
  EXPECT_EQ(state.phase(), phase);
  return state;
}

TEST(TaskState, IsScheduledWhenSpawned) {
  EXPECT_EQ(TaskState{}.phase(), Phase::scheduled);
}

TEST(TaskState, BeginRunsWhatIsScheduled) {
  TaskState state = in(Phase::scheduled);
  EXPECT_TRUE(state.begin());
  EXPECT_EQ(state.phase(), Phase::running);
}

TEST(TaskState, BeginRefusesWhatWasCancelledInTheQueue) {
  TaskState state = in(Phase::cancelled);
  EXPECT_FALSE(state.begin());
  EXPECT_EQ(state.phase(), Phase::cancelled);
}

TEST(TaskState, WakeSchedulesOnlyWhatIsIdle) {
  TaskState state = in(Phase::idle);
  EXPECT_TRUE(state.wake());
  EXPECT_EQ(state.phase(), Phase::scheduled);
}

TEST(TaskState, WakeWhileRunningIsRemembered) {
  TaskState state = in(Phase::running);
  EXPECT_FALSE(state.wake());
  EXPECT_EQ(state.phase(), Phase::running_woken);
}

TEST(TaskState, WakeChangesNothingElsewhere) {
  for (const Phase phase :
       {Phase::scheduled, Phase::running_woken, Phase::complete, Phase::cancelled}) {
    TaskState state = in(phase);
    EXPECT_FALSE(state.wake());
    EXPECT_EQ(state.phase(), phase);
  }
}

TEST(TaskState, EndGoesIdle) {
  TaskState state = in(Phase::running);
  EXPECT_EQ(state.end(), Phase::idle);
}

TEST(TaskState, EndSchedulesWhatWasWokenMeanwhile) {
  TaskState state = in(Phase::running_woken);
  EXPECT_EQ(state.end(), Phase::scheduled);
}

TEST(TaskState, EndTellsThatItWasCancelledMeanwhile) {
  for (const Phase phase : {Phase::running, Phase::running_woken}) {
    TaskState state = in(phase);
    EXPECT_EQ(state.cancel(), phase);
    EXPECT_EQ(state.end(), Phase::cancelled);
  }
}

TEST(TaskState, FinishCompletesWhateverHappenedMeanwhile) {
  for (const Phase phase : {Phase::running, Phase::running_woken, Phase::cancelled}) {
    TaskState state = in(phase);
    state.finish();
    EXPECT_EQ(state.phase(), Phase::complete);
  }
}

TEST(TaskState, CancelTellsWhereItFoundTheTask) {
  for (const Phase phase : {Phase::idle, Phase::scheduled, Phase::running, Phase::running_woken}) {
    TaskState state = in(phase);
    EXPECT_EQ(state.cancel(), phase);
    EXPECT_EQ(state.phase(), Phase::cancelled);
  }
}

TEST(TaskState, CancelLeavesTheEndedAlone) {
  for (const Phase phase : {Phase::complete, Phase::cancelled}) {
    TaskState state = in(phase);
    EXPECT_EQ(state.cancel(), phase);
    EXPECT_EQ(state.phase(), phase);
  }
}

}  // namespace
}  // namespace stackless
