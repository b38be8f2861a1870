// SPDX-License-Identifier: BSL-1.0
#include "stackless/remote_state.hpp"

#include <gtest/gtest.h>

namespace stackless {
namespace {

using Duty = RemoteState::Duty;

void expect_collected(RemoteState& state, bool woken, int references) {
  const RemoteState::Collected collected = state.collect();
  EXPECT_EQ(collected.woken, woken);
  EXPECT_EQ(collected.references, references);
}

TEST(RemoteState, OnlyTheFirstToAskPosts) {
  RemoteState state;
  EXPECT_EQ(state.wake(), Duty::post);
  EXPECT_EQ(state.wake(), Duty::none);
  EXPECT_EQ(state.drop(), Duty::none);
  EXPECT_EQ(state.wake_and_drop(), Duty::none);
  expect_collected(state, true, -2);
  EXPECT_EQ(state.drop(), Duty::post);
  EXPECT_EQ(state.wake(), Duty::none);
  expect_collected(state, true, -1);
  EXPECT_EQ(state.wake_and_drop(), Duty::post);
  expect_collected(state, true, -1);
  expect_collected(state, false, 0);
}

TEST(RemoteState, TellsThatItIsToBeCancelled) {
  RemoteState state;
  EXPECT_EQ(state.cancel(), Duty::post);
  EXPECT_EQ(state.wake(), Duty::none);
  const RemoteState::Collected collected = state.collect();
  EXPECT_TRUE(collected.cancelled);
  EXPECT_TRUE(collected.woken);
  EXPECT_FALSE(state.collect().cancelled);
}

TEST(RemoteState, DropsAloneDoNotWake) {
  RemoteState state;
  EXPECT_EQ(state.drop(), Duty::post);
  expect_collected(state, false, -1);
}

TEST(RemoteState, ClonesNeedNoPost) {
  RemoteState state;
  state.clone();
  state.clone();
  EXPECT_EQ(state.drop(), Duty::post);
  expect_collected(state, false, 1);
}

TEST(RemoteState, IsLastCountsBothSides) {
  RemoteState state;
  EXPECT_TRUE(state.is_last(0));
  EXPECT_FALSE(state.is_last(1));
  state.clone();
  EXPECT_FALSE(state.is_last(0));
  EXPECT_TRUE(state.is_last(-1)) << "cloned there, dropped here";
}

TEST(RemoteState, NothingIsLastWhileAPostIsUnderWay) {
  RemoteState state;
  EXPECT_EQ(state.wake(), Duty::post);
  EXPECT_FALSE(state.is_last(0));
  expect_collected(state, true, 0);
  EXPECT_TRUE(state.is_last(0));
}

TEST(RemoteState, AnOrphanIsFreedByWhoeverDropsTheLastReference) {
  RemoteState state;
  state.clone();
  ASSERT_TRUE(state.orphan(1));
  EXPECT_EQ(state.wake(), Duty::none);
  state.clone();
  EXPECT_EQ(state.drop(), Duty::none);
  EXPECT_EQ(state.wake_and_drop(), Duty::none);
  EXPECT_EQ(state.drop(), Duty::free);
}

TEST(RemoteState, OrphaningWaitsForThePost) {
  RemoteState state;
  EXPECT_EQ(state.wake_and_drop(), Duty::post);
  EXPECT_FALSE(state.orphan(2));
  expect_collected(state, true, -1);
  ASSERT_TRUE(state.orphan(1));
  EXPECT_EQ(state.wake_and_drop(), Duty::free);
}

}  // namespace
}  // namespace stackless
