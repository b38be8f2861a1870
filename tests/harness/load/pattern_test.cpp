// SPDX-License-Identifier: BSL-1.0
#include "harness/load/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace harness::load {
namespace {

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Pattern, DiffersByConnectionAndBySequence) {
  const Pattern pattern{64};
  std::set<std::string> seen;
  constexpr std::uint64_t messages = 100;
  for (std::uint32_t connection = 0; connection < 10; ++connection) {
    for (std::uint64_t sequence = 0; sequence < messages / 10; ++sequence) {
      seen.insert(text(pattern.message(connection, sequence)));
    }
  }
  EXPECT_EQ(seen.size(), messages);
}

TEST(Pattern, IsTheSameEachTime) {
  const Pattern one{1000}, other{1000};
  EXPECT_EQ(text(one.message(3, 77)), text(other.message(3, 77)));
}

TEST(Pattern, ShiftedByOneByteIsAnotherMessage) {
  const Pattern pattern{64};
  for (std::uint64_t sequence = 0; sequence < 1000; ++sequence) {
    const auto message = pattern.message(0, sequence);
    ASSERT_NE(std::memcmp(message.data(), message.data() + 1, message.size() - 1), 0);
  }
}

TEST(Pattern, ServesEverySize) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 20}) {
    const Pattern pattern{bytes};
    for (std::uint64_t sequence = 0; sequence < 50; ++sequence) {
      ASSERT_EQ(pattern.message(1, sequence).size(), bytes);
    }
    EXPECT_NE(std::ranges::count(pattern.message(1, 1), pattern.message(1, 1).front()),
              static_cast<std::ptrdiff_t>(bytes == 1 ? 0 : bytes));
  }
}

}  // namespace
}  // namespace harness::load
