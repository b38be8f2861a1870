// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/call_chain.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(CallChain, GoesAsDeepAsItIsTold) {
  CallChain chain;
  for (const std::uint64_t depth : {1U, 2U, 1000U}) {
    std::uint64_t ends = 0;
    EXPECT_EQ(chain.descend(depth, [&] { ++ends; }), depth);
    EXPECT_EQ(ends, 1U);
    EXPECT_EQ(chain.reached(), depth);
  }
}

TEST(CallChain, EachCallUsesItsBytes) {
  CallChain chain;
  chain.descend(1, [] {});
  const auto* const first = chain.lowest();
  chain.descend(101, [] {});
  const auto used = static_cast<std::size_t>(first - chain.lowest());
  EXPECT_GE(used, 100 * CallChain::bytes_a_call);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they enlarge the frames
  EXPECT_LE(used, 100 * (CallChain::bytes_a_call + 256));
#endif
}

TEST(CallChain, NoticesWhatWasWrittenOverMeanwhile) {
  CallChain chain;
  const std::uint64_t intact = chain.descend(10, [&] {
    auto* const deepest = const_cast<std::byte*>(chain.lowest());
    *static_cast<volatile std::byte*>(deepest) = std::byte{0xee};
  });
  EXPECT_EQ(intact, 9U);
}

}  // namespace
}  // namespace harness
