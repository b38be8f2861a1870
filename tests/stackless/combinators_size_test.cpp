// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>
#include <gtest/gtest.h>

#include "harness/allocations.hpp"
#include "stackless/combinators.hpp"
#include "stackless/executor.hpp"
#include "stackless/poll_fn.hpp"
#include "tests/stackless/combinators_fixture.hpp"

namespace stackless {
namespace {

using test::Combinators;

// ---- sizes: the largest state, not the sum

/// A future of that many bytes.
template <std::size_t Bytes>
class Sized : Immovable {
 public:
  using Output = void;
  static Poll<void> poll(Context&) { return ready; }

 private:
  std::array<std::byte, Bytes> kept_{};
};

template <std::size_t Bytes>
using MakeSized = decltype([] { return Sized<Bytes>{}; });
using Nothing = decltype([] {});

static_assert(sizeof(Sized<100>) == 100);
static_assert(sizeof(Map<Sized<100>, Nothing>) == 100);
static_assert(sizeof(Finally<Sized<100>, Nothing>) <= 101);
static_assert(sizeof(OneOf<Sized<100>, Sized<40>, Sized<7>>) == 101);
static_assert(sizeof(Then<Sized<100>, MakeSized<90>>) == 101);
static_assert(sizeof(Then<Sized<90>, MakeSized<100>>) == 101);
static_assert(sizeof(Sequence<MakeSized<100>, MakeSized<80>, MakeSized<60>>) <= 104);
static_assert(sizeof(Join<Sized<100>, Sized<40>>) == 100 + 1 + 40 + 1, "alive at the same time");
static_assert(sizeof(Select<Sized<100>, Sized<40>>) == 100 + 1 + 40 + 1);
static_assert(sizeof(Timeout<Sized<100>>) == sizeof(Sleep) + 104);

// ---- nothing is allocated

template <int Depth>
auto nested(int& polls) {
  if constexpr (Depth == 0) {
    return poll_fn([&polls](Context&) -> Poll<int> {
      if (++polls == 2) return 0;
      return pending;
    });
  } else {
    return map([&polls] { return nested<Depth - 1>(polls); }, [](int depth) { return depth + 1; });
  }
}

TEST_F(Combinators, ComposingAllocatesNothing) {
  const auto before = harness::allocations();
  if (!before) GTEST_SKIP() << "a sanitizer's allocator is not counted";
  int polls = 0;
  auto future = nested<64>(polls);
  EXPECT_TRUE(probe.poll(future).is_pending());
  EXPECT_EQ(probe.poll(future).take(), 64);
  EXPECT_EQ(harness::allocations(), before);
}

}  // namespace
}  // namespace stackless
