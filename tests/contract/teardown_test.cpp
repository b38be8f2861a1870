// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <unistd.h>

#include "tests/contract/echo.hpp"

namespace contract {
namespace {

std::size_t open_descriptors() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{}));
}

template <class C>
struct Teardown : EchoCase<C> {
  using typename EchoCase<C>::Script;

  static Script sleep_a_little(std::shared_ptr<int> held) {
    co_await Sleep{io::Clock::now() + std::chrono::milliseconds{1}};
    EXPECT_GE(held.use_count(), 1);
  }

  static Script hold(io::Descriptor, std::shared_ptr<int>) { co_return; }
};
TYPED_TEST_SUITE(Teardown, ContendersAndCrews, Names);

TYPED_TEST(Teardown, DescriptorsTasksAndTimersComeBack) {
  const std::size_t before = open_descriptors();
  const auto witness = std::make_shared<int>();
  for (int i = 0; i < 100; ++i) {
    this->spawn(this->sleep_a_little(witness));
  }
  this->serve(this->listen(), 20);
  this->against([&] {
    for (int i = 0; i < 20; ++i) {
      Peer peer{this->where};
      EXPECT_EQ(peer.exchange(pattern(64)), pattern(64));
    }
  });
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_EQ(this->runtime.live_tasks(), 0U);
  if constexpr (TestFixture::one_worker) {
    EXPECT_EQ(this->runtime.reactor().timers().size(), 0U);
  }
}

TYPED_TEST(Teardown, ARuntimeTakesItsDescriptorsWithIt) {
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    typename TestFixture::Runtime own{TypeParam::options()};
    EXPECT_FALSE(TypeParam::spawn(own, this->sleep_a_little(std::make_shared<int>())));
    own.run();
  }
  EXPECT_EQ(open_descriptors(), before);
}

// Fibers and futures that have not started are dropped; a thread has started and is waited for.
TYPED_TEST(Teardown, WhatNeverRanIsDropped) {
  const std::size_t before = open_descriptors();
  const auto witness = std::make_shared<int>();
  {
    typename TestFixture::Runtime own{TypeParam::options()};
    for (int i = 0; i < 100; ++i) {
      io::Descriptor descriptor{::dup(STDERR_FILENO)};
      ASSERT_TRUE(descriptor);
      EXPECT_FALSE(TypeParam::spawn(own, this->hold(std::move(descriptor), witness)));
    }
  }
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace contract
