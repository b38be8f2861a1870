// SPDX-License-Identifier: BSL-1.0
#include "io/timing_wheel.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/io/probe_timer.hpp"

namespace {

using io::TimePoint;
using io::TimingWheel;
using namespace std::chrono_literals;

constexpr TimePoint start{987'654'321ns};

TimePoint boundary(std::uint64_t tick) {
  return start + TimingWheel::tick * static_cast<io::Duration::rep>(tick);
}

/// A wheel, and timers that write their numbers down when they fire.
class WheelTest : public testing::Test {
 protected:
  ProbeTimer& timer() {
    const auto number = static_cast<int>(timers_.size());
    timers_.push_back(
        std::make_unique<ProbeTimer>([this, number](ProbeTimer&) { fired.push_back(number); }));
    return *timers_.back();
  }

  TimingWheel wheel{start};
  std::vector<int> fired;

 private:
  std::vector<std::unique_ptr<ProbeTimer>> timers_;
};

TEST(WheelTick, IsAtMost64Microseconds) {
  EXPECT_LE(TimingWheel::tick, 64us);
}

TEST(WheelTick, RoundsDeadlinesUpAndTheTimeNowDown) {
  EXPECT_EQ(io::tick_not_before(start, start), 0U);
  EXPECT_EQ(io::tick_not_before(start, start + 1ns), 1U);
  EXPECT_EQ(io::tick_not_before(start, boundary(7)), 7U);
  EXPECT_EQ(io::tick_not_before(start, boundary(7) + 1ns), 8U);
  EXPECT_EQ(io::tick_not_after(start, boundary(7) - 1ns), 6U);
  EXPECT_EQ(io::tick_not_after(start, boundary(7)), 7U);
}

TEST(WheelTick, CannotOverflow) {
  EXPECT_EQ(io::tick_not_before(start, TimePoint::min()), 0U);
  EXPECT_EQ(io::tick_not_after(start, TimePoint::min()), 0U);
  EXPECT_EQ(io::tick_not_before(TimePoint{0ns}, TimePoint::max()), TimingWheel::last_tick);
  EXPECT_EQ(io::tick_not_before(TimePoint::min(), TimePoint::max()), TimingWheel::last_tick);
}

TEST(WheelLevel, IsTheHighestDigitThatDiffers) {
  EXPECT_EQ(io::level_for(0, 1), 0U);
  EXPECT_EQ(io::level_for(0, 63), 0U);
  EXPECT_EQ(io::level_for(0, 64), 1U);
  EXPECT_EQ(io::level_for(63, 64), 1U);
  EXPECT_EQ(io::level_for(64, 127), 0U);
  EXPECT_EQ(io::level_for(0, 4095), 1U);
  EXPECT_EQ(io::level_for(4095, 4096), 2U);
  EXPECT_EQ(io::level_for(0, TimingWheel::last_tick), TimingWheel::levels - 1);
  EXPECT_EQ(io::slot_for(0, 3), 0U);
  EXPECT_EQ(io::slot_for(64 * 5 + 9, 0), 9U);
  EXPECT_EQ(io::slot_for(64 * 5 + 9, 1), 5U);
  EXPECT_EQ(io::slot_for(TimingWheel::last_tick, 7), 63U);
}

TEST_F(WheelTest, AnEmptyOneHasNothingDue) {
  EXPECT_EQ(wheel.next_due(), io::never);
  EXPECT_EQ(wheel.advance(start + 24h), 0U);
  EXPECT_EQ(wheel.size(), 0U);
}

TEST_F(WheelTest, FiresAtItsBoundaryAndNotOneNanosecondBefore) {
  wheel.insert(timer(), boundary(10) - 5ns);
  EXPECT_EQ(wheel.advance(boundary(10) - 1ns), 0U);
  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(wheel.advance(boundary(10)), 1U);
  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(wheel.next_due(), io::never);
}

TEST_F(WheelTest, ADeadlineInThePastFiresAtTheNextAdvance) {
  wheel.advance(boundary(100));
  wheel.insert(timer(), boundary(50));
  wheel.insert(timer(), TimePoint::min());
  EXPECT_LE(wheel.next_due(), boundary(100));
  EXPECT_EQ(wheel.advance(boundary(100)), 2U);
}

TEST_F(WheelTest, NeverIsArmedAndDoesNotFire) {
  ProbeTimer& never = timer();
  wheel.insert(never, io::never);
  EXPECT_TRUE(never.armed());
  EXPECT_EQ(wheel.next_due(), io::never);
  EXPECT_EQ(wheel.advance(io::never), 0U);
  wheel.cancel(never);
  EXPECT_FALSE(never.armed());
  EXPECT_EQ(wheel.size(), 0U);
}

TEST_F(WheelTest, HoldsTheFarthestDeadlineThatHasATick) {
  wheel.insert(timer(), io::never - TimingWheel::tick);
  EXPECT_EQ(wheel.advance(start + 24h * 365 * 250), 0U);
  EXPECT_EQ(wheel.advance(io::never), 1U);
}

TEST_F(WheelTest, CancelWorksOnceAndOnTheUnarmed) {
  ProbeTimer& one = timer();
  wheel.cancel(one);
  wheel.insert(one, boundary(3));
  wheel.cancel(one);
  wheel.cancel(one);
  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(wheel.next_due(), io::never);
  EXPECT_EQ(wheel.advance(boundary(10)), 0U);
}

TEST_F(WheelTest, FiresInOrderOfTicksAcrossLevels) {
  const std::vector<std::uint64_t> ticks{300'000, 5000, 70, 64, 63, 1, 16'777'216, 4096};
  for (const std::uint64_t tick : ticks) wheel.insert(timer(), boundary(tick));
  EXPECT_EQ(wheel.advance(boundary(20'000'000)), ticks.size());
  EXPECT_EQ(fired, (std::vector<int>{5, 4, 3, 2, 7, 1, 0, 6}));
}

// Each edge of each level: entered from before it, on it and after it, over distances of all sizes.
TEST_F(WheelTest, CascadesAtTheEdgesOfEveryLevel) {
  for (unsigned level = 1; level != TimingWheel::levels; ++level) {
    const std::uint64_t edge = std::uint64_t{1} << (level * TimingWheel::slot_bits);
    for (const std::uint64_t now : {edge - 1, edge, edge + 1, 63 * edge}) {
      for (const std::uint64_t distance : {std::uint64_t{1}, edge - 1, edge, edge + 1, 65 * edge}) {
        const std::uint64_t due = now + distance;
        if (due > TimingWheel::last_tick / 2) continue;  // a TimePoint could not tell it
        TimingWheel fresh{start};
        fresh.advance(boundary(now));
        fresh.insert(timer(), boundary(due));
        EXPECT_EQ(fresh.next_due(), boundary(due)) << now << " -> " << due;
        EXPECT_EQ(fresh.advance(boundary(due - 1)), 0U) << now << " -> " << due;
        EXPECT_EQ(fresh.next_due(), boundary(due)) << now << " -> " << due;
        EXPECT_EQ(fresh.advance(boundary(due)), 1U) << now << " -> " << due;
      }
    }
  }
}

TEST_F(WheelTest, NextDueIsNeverLateAfterTheEarliestIsCancelled) {
  ProbeTimer& earliest = timer();
  wheel.insert(earliest, boundary(4100));
  wheel.insert(timer(), boundary(4200));
  EXPECT_EQ(wheel.next_due(), boundary(4100));
  wheel.cancel(earliest);
  EXPECT_LE(wheel.next_due(), boundary(4200));
  wheel.insert(timer(), boundary(4150));
  EXPECT_LE(wheel.next_due(), boundary(4150));
}

TEST_F(WheelTest, NotifyMayArmItsOwnTimerAgain) {
  int rounds = 0;
  ProbeTimer periodic{[&](ProbeTimer& self) {
    if (++rounds < 100) wheel.insert(self, self.deadline + TimingWheel::tick);
  }};
  wheel.insert(periodic, boundary(1));
  EXPECT_EQ(wheel.advance(boundary(60)), 60U);  // each is due within this very advance
  EXPECT_EQ(wheel.advance(boundary(1000)), 40U);
  EXPECT_FALSE(periodic.armed());
}

TEST_F(WheelTest, ATimerArmedForThePastByNotifyWaitsForTheNextAdvance) {
  ProbeTimer insistent{[&](ProbeTimer& self) {
    wheel.insert(self, start);
  }};
  wheel.insert(insistent, boundary(1));
  EXPECT_EQ(wheel.advance(boundary(5)), 1U);
  EXPECT_EQ(wheel.advance(boundary(5)), 1U);
  wheel.cancel(insistent);
}

TEST_F(WheelTest, NotifyMayCancelATimerThatIsAboutToFire) {
  ProbeTimer& victim_before = timer();
  ProbeTimer& victim_after = timer();
  ProbeTimer murderer{[&](ProbeTimer&) {
    wheel.cancel(victim_before);
    wheel.cancel(victim_after);
  }};
  wheel.insert(victim_before, boundary(9));  // fires first: too late to cancel
  wheel.insert(murderer, boundary(9));
  wheel.insert(victim_after, boundary(9));
  EXPECT_EQ(wheel.advance(boundary(9)), 2U);
  EXPECT_EQ(fired, std::vector<int>{0});
  EXPECT_EQ(wheel.size(), 0U);
}

TEST_F(WheelTest, NotifyMayDestroyItsOwnTimer) {
  std::unique_ptr<ProbeTimer> doomed;
  doomed = std::make_unique<ProbeTimer>([&](ProbeTimer&) {
    const auto last_breath = std::move(doomed->fired);
    doomed.reset();
  });
  wheel.insert(*doomed, boundary(2));
  EXPECT_EQ(wheel.advance(boundary(2)), 1U);
  EXPECT_EQ(doomed, nullptr);
}

}  // namespace
