// SPDX-License-Identifier: BSL-1.0
#include "harness/half_rates.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "harness/row.hpp"

namespace harness {
namespace {

TEST(HalfRates, AreRoundAndNeverMoreThanIsReached) {
  EXPECT_EQ(half_of(102'900), 51'000);
  EXPECT_EQ(half_of(1'930), 970) << "large messages";
  EXPECT_EQ(half_of(900), 450);
  EXPECT_EQ(half_of(11), 6);
  EXPECT_EQ(half_of(0), 1);
}

TEST(HalfRates, OutliveTheProgramThatHasMeasuredThem) {
  const auto file = std::filesystem::path{testing::TempDir()} / "half-rates";
  std::filesystem::remove(file);
  {
    HalfRates rates{file};
    EXPECT_FALSE(rates.find("tcp-64-64-64"));
    rates.keep("tcp-64-64-64", 51'000, true);
    rates.keep("tcp-1000-1000-64", 43'000, true);
    rates.keep("unix-64-64-64", 6'000, false);
    EXPECT_EQ(rates.find("unix-64-64-64"), 6'000);
    EXPECT_EQ(rates.find("tcp-64-64-64"), 51'000);
  }
  const HalfRates rates{file};
  EXPECT_EQ(rates.find("tcp-64-64-64"), 51'000);
  EXPECT_EQ(rates.find("tcp-1000-1000-64"), 43'000);
  EXPECT_FALSE(rates.find("unix-64-64-64"));
  std::filesystem::remove(file);
}

TEST(HalfRates, AreKeptByTheProgramAloneWithoutAFile) {
  HalfRates rates{{}};
  rates.keep("tcp-64-64-64", 51'000, true);
  EXPECT_EQ(rates.find("tcp-64-64-64"), 51'000);
}

TEST(HalfRates, ThatCannotBeKeptAreAFailure) {
  HalfRates rates{"/nonexistent/half-rates"};
  EXPECT_THROW(rates.keep("tcp-64-64-64", 51'000, true), Failure);
}

}  // namespace
}  // namespace harness
