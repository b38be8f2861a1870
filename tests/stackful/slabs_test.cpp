// SPDX-License-Identifier: BSL-1.0
#include "stackful/slabs.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace {

constexpr std::size_t many = 1000;

TEST(Slabs, KeepTheirOrder) {
  std::array<std::byte, many> places{};
  stackful::Slabs slabs;
  for (std::size_t i = 0; i != many; ++i) {
    EXPECT_EQ(slabs.size(), i);
    slabs.push_back(&places[i]);
    EXPECT_EQ(slabs[i], &places[i]);
  }
  for (std::size_t i = 0; i != many; ++i) EXPECT_EQ(slabs[i], &places[i]);
}

TEST(Slabs, AreReadWhileTheirOwnerAddsToThem) {
  std::array<std::byte, many> places{};
  stackful::Slabs slabs;
  std::atomic<std::size_t> wrong{0};
  std::thread reader{[&] {
    for (std::size_t seen = 0; seen != many;) {
      seen = slabs.size();
      for (std::size_t i = 0; i != seen; ++i) wrong += slabs[i] == &places[i] ? 0 : 1;
    }
  }};
  for (std::byte& place : places) slabs.push_back(&place);
  reader.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
