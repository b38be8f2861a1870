// SPDX-License-Identifier: BSL-1.0
#include "stackless/inbox.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace stackless {
namespace {

class Letter : public Posted {
 public:
  Letter(std::vector<int>& read, int number) : Posted{table}, read_{&read}, number_{number} {}

 private:
  static void read_out(Posted& posted) noexcept {
    const auto& letter = static_cast<Letter&>(posted);
    letter.read_->push_back(letter.number_);
  }
  static constexpr PostedOperations table{{}, &read_out};

  std::vector<int>* read_;
  int number_;
};

TEST(Inbox, DeliversTheOldestFirst) {
  Inbox inbox;
  std::vector<int> read;
  std::deque<Letter> letters;
  for (int number = 0; number < 3; ++number) {
    EXPECT_FALSE(inbox.post(letters.emplace_back(read, number)));
  }
  inbox.deliver();
  EXPECT_EQ(read, (std::vector{0, 1, 2}));
  inbox.deliver();
  EXPECT_EQ(read.size(), 3U);
}

TEST(Inbox, OnlyTheFirstPostAfterParkingWakes) {
  Inbox inbox;
  std::vector<int> read;
  Letter one{read, 1};
  Letter two{read, 2};
  ASSERT_TRUE(inbox.park());
  EXPECT_TRUE(inbox.post(one));
  EXPECT_FALSE(inbox.post(two));
  inbox.deliver();
  EXPECT_EQ(read, (std::vector{1, 2}));
  EXPECT_FALSE(inbox.post(one)) << "delivering ends the parking";
  inbox.deliver();
}

TEST(Inbox, DoesNotParkOverAPost) {
  Inbox inbox;
  std::vector<int> read;
  Letter one{read, 1};
  EXPECT_FALSE(inbox.post(one));
  EXPECT_FALSE(inbox.park());
  inbox.deliver();
  EXPECT_TRUE(inbox.park());
  inbox.deliver();
  EXPECT_EQ(read.size(), 1U);
}

TEST(Inbox, LosesNothingOfManyThreads) {
  constexpr int threads = 4;
  constexpr int each = 10'000;
  Inbox inbox;
  std::vector<int> read;
  std::deque<Letter> letters;
  for (int number = 0; number < threads * each; ++number) letters.emplace_back(read, number);
  std::vector<std::jthread> posters;
  for (int thread = 0; thread < threads; ++thread) {
    posters.emplace_back([&, thread] {
      for (int i = 0; i < each; ++i) {
        static_cast<void>(inbox.post(letters[static_cast<std::size_t>(thread * each + i)]));
      }
    });
  }
  while (read.size() < letters.size()) inbox.deliver();
  std::vector<int> last(threads, -1);
  for (const int number : read) {
    EXPECT_EQ(number % each, last[static_cast<std::size_t>(number / each)] + 1);
    last[static_cast<std::size_t>(number / each)] = number % each;
  }
}

}  // namespace
}  // namespace stackless
