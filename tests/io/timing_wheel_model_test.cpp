// SPDX-License-Identifier: BSL-1.0
// The wheel against a model too simple to be wrong: a list of due moments, searched from end to
// end.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

#include "io/timing_wheel.hpp"
#include "tests/io/probe_timer.hpp"

namespace {

using io::Duration;
using io::TimePoint;
using io::TimingWheel;
using namespace std::chrono_literals;

class Model {
 public:
  explicit Model(std::uint64_t seed) : random_{seed} {
    for (std::size_t i = 0; i != 200; ++i) {
      timers_.push_back(std::make_unique<ProbeTimer>([this, i](ProbeTimer&) { on_fired(i); }));
      due_.push_back(unarmed);
    }
  }

  void step() {
    const auto choice = random_() % 10;
    const std::size_t which = random_() % timers_.size();
    if (choice < 5) {
      arm(which);
    } else if (choice < 7) {
      disarm(which);
    } else {
      advance(choice == 9 ? wheel_.next_due() : now_ + any_span(44));
    }
    check();
  }

  int advances = 0;

 private:
  static constexpr TimePoint unarmed = TimePoint::min();

  /// Below 2^longest ns, every order of magnitude as likely as any other.
  Duration any_span(unsigned longest) {
    const auto bits = random_() % longest;
    return Duration{static_cast<Duration::rep>(random_() & ((std::uint64_t{1} << bits) - 1))};
  }

  /// The first multiple of a tick after the start that is not before the deadline, step by step.
  TimePoint due_moment(TimePoint deadline) const {
    if (deadline <= start_) return start_;
    const Duration offset = deadline - start_;
    const Duration rest = offset % TimingWheel::tick;
    return rest == 0ns ? deadline : deadline + (TimingWheel::tick - rest);
  }

  void arm(std::size_t which) {
    disarm(which);
    const Duration span = any_span(60);  // 36 years
    TimePoint deadline = random_() % 8 == 0 ? now_ - std::min(span, now_ - start_) : now_ + span;
    if (random_() % 50 == 0) deadline = io::never;
    wheel_.insert(*timers_[which], deadline);
    due_[which] = deadline == io::never ? io::never : due_moment(deadline);
  }

  void disarm(std::size_t which) {
    wheel_.cancel(*timers_[which]);
    due_[which] = unarmed;
  }

  void advance(TimePoint to) {
    // Stay where sums of moments cannot overflow.
    constexpr TimePoint horizon = TimePoint{} + 24h * 365 * 200;
    if (to > horizon) return;
    ++advances;
    now_ = std::max(now_, to);
    fired_ = 0;
    const std::size_t told = wheel_.advance(now_);
    ASSERT_EQ(told, fired_);
    for (std::size_t i = 0; i != due_.size(); ++i) {
      const bool overlooked = due_[i] != unarmed && due_[i] != io::never && due_[i] <= now_;
      ASSERT_TRUE(!overlooked || rearmed_in_the_past_[i]) << "overlooked " << i;
    }
    std::fill(rearmed_in_the_past_.begin(), rearmed_in_the_past_.end(), false);
  }

  void on_fired(std::size_t which) {
    ++fired_;
    ASSERT_NE(due_[which], unarmed) << "fired unarmed " << which;
    ASSERT_LE(due_[which], now_) << "early " << which;
    ASSERT_LE(timers_[which]->deadline, now_);
    due_[which] = unarmed;
    const auto choice = random_() % 8;
    if (choice == 0) {
      arm(which);
      rearmed_in_the_past_[which] = due_[which] <= now_;
    } else if (choice == 1) {
      disarm(random_() % timers_.size());
    }
  }

  void check() {
    const auto is_armed = [](TimePoint due) {
      return due != unarmed;
    };
    ASSERT_EQ(wheel_.size(), static_cast<std::size_t>(std::ranges::count_if(due_, is_armed)));
    TimePoint earliest = io::never;
    for (std::size_t i = 0; i != due_.size(); ++i) {
      ASSERT_EQ(timers_[i]->armed(), is_armed(due_[i]));
      if (is_armed(due_[i])) earliest = std::min(earliest, due_[i]);
    }
    if (earliest == io::never) {
      ASSERT_EQ(wheel_.next_due(), io::never);
    } else {
      ASSERT_LE(wheel_.next_due(), std::max(earliest, now_));
      ASSERT_EQ(wheel_.next_due() > now_, earliest > now_);
    }
  }

  std::mt19937_64 random_;
  TimePoint start_{12'345'678'901ns};
  TimePoint now_ = start_;
  TimingWheel wheel_{start_};
  std::vector<std::unique_ptr<ProbeTimer>> timers_;
  std::vector<TimePoint> due_;
  std::vector<bool> rearmed_in_the_past_ = std::vector<bool>(200);
  std::size_t fired_ = 0;
};

class WheelModelTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WheelModelTest, AgreesOverRandomOperations) {
  Model model{GetParam()};
  for (int i = 0; i != 8000 && !HasFatalFailure(); ++i) model.step();
  EXPECT_GT(model.advances, 1000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WheelModelTest, testing::Range<std::uint64_t>(1, 41));

}  // namespace
