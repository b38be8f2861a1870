// SPDX-License-Identifier: BSL-1.0
// What wakes for nothing do to a wait that bears them, and to one that does not.
#include <gtest/gtest.h>
#include <string>

#include "harness/programs/programs.hpp"
#include "harness/workloads/torment.hpp"
#include "tests/harness/run_cell.hpp"

namespace {

using Backend = stackless::Backend;
using Torment = harness::Torment<Backend>;

/// Takes whatever wakes it for its event.
class Credulous : stackless::Immovable {
 public:
  using Output = void;

  explicit Credulous(Torment& torment) noexcept : torment_{&torment} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    const bool first = !std::exchange(polled_, true);
    const bool ended = torment_->event.poll_wait(context).is_ready();
    if (first && !ended) return stackless::pending;
    return torment_->answer() ? stackless::Poll<void>{stackless::pending} : stackless::ready;
  }

 private:
  Torment* torment_;
  bool polled_ = false;
};

TEST(Spurious, EveryWaitBearsThem) {
  for (const auto* contender : {"futures", "coroutines"}) {
    const auto results =
        run_cell(harness::wake_program(), std::string{"wake/"} + contender + "/spurious:8");
    EXPECT_EQ(results.at("early_ends"), 0) << contender;
    EXPECT_EQ(results.at("spurious_polls_per_op"), 8) << contender;
  }
}

TEST(Spurious, AWaitThatEndsEarlyIsCounted) {
  PortReader reader{std::chrono::milliseconds{5}};
  Backend::Runtime runtime{Backend::Options{}};
  Torment torment{reader.port, runtime, 8};
  ASSERT_FALSE(runtime.spawn([&] {
    return harness::Tormented<Backend, Credulous>{torment, [](Torment& shared) {
                                                    return Credulous{shared};
                                                  }};
  }));
  runtime.run();
  torment.report(reader.port);
  EXPECT_EQ(reader.failure(), "");
  EXPECT_GT(reader.results().at("early_ends"), 0);
  EXPECT_LT(reader.results().at("spurious_polls_per_op"), 8);
}

}  // namespace
