// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "tests/io/source_fixture.hpp"

namespace {

using io::Descriptor;
using io::Source;

TEST_F(SourceTest, EventsOfAClosedDescriptorDoNotReachItsSuccessor) {
  Pair first;
  Pair second;
  auto old = source_of(std::move(first.ours));
  const Descriptor duplicate{
      ::dup(old->descriptor())};  // would keep a forgotten registration alive
  ASSERT_TRUE(duplicate);
  send_all(first.theirs, "for the old one");
  const int number = old->descriptor();
  old.reset();
  Descriptor reused{::dup2(second.ours.get(), number)};
  ASSERT_EQ(reused.get(), number);
  second.ours.reset();
  const auto successor = source_of(std::move(reused));
  Bell bell;
  successor->await_readable(&bell);
  send_all(first.theirs, "more");
  reactor.turn(look);
  EXPECT_EQ(bell.rung, 0);
  EXPECT_FALSE(successor->readable());
  send_all(second.theirs, "for the new one");
  reactor.turn(look);
  EXPECT_EQ(bell.rung, 1);
}

/// A waiter that destroys a source, its own or another.
struct Destroyer : io::Waiter {
  explicit Destroyer(std::unique_ptr<Source>& whose) : victim{whose} {
    notify = [](io::Waiter& waiter) noexcept {
      auto& destroyer = static_cast<Destroyer&>(waiter);
      destroyer.victim.reset();
      ++destroyer.rung;
    };
  }
  std::unique_ptr<Source>& victim;
  int rung = 0;
};

TEST_F(SourceTest, CanBeDestroyedBetweenCollectionAndDelivery) {
  Pair first;
  Pair second;
  auto one = source_of(std::move(first.ours));
  auto two = source_of(std::move(second.ours));
  reactor.turn(look);
  Destroyer by_one{two};
  Destroyer by_two{one};
  one->await_readable(&by_one);
  two->await_readable(&by_two);
  send_all(first.theirs, "x");
  send_all(second.theirs, "x");
  EXPECT_EQ(reactor.turn(look), 1U);  // whichever came first has destroyed the other
  EXPECT_EQ(by_one.rung + by_two.rung, 1);
  EXPECT_NE(one == nullptr, two == nullptr);
}

TEST_F(SourceTest, CanBeDestroyedByItsOwnEvent) {
  Pair pair;
  auto source = source_of(std::move(pair.ours));
  reactor.turn(look);
  Destroyer suicide{source};
  source->await_readable(&suicide);
  send_all(pair.theirs, "x");
  EXPECT_EQ(reactor.turn(look), 1U);
  EXPECT_EQ(source, nullptr);
}

}  // namespace
