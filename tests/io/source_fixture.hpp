// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "tests/io/wired.hpp"

/// The deadline of a turn that does not wait.
inline constexpr io::TimePoint look = io::TimePoint::min();

inline void make_nonblocking(const io::Descriptor& descriptor) {
  ASSERT_EQ(::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK), 0);
}

class SourceTest : public testing::Test {
 protected:
  std::unique_ptr<io::Source> source_of(io::Descriptor descriptor) {
    make_nonblocking(descriptor);
    std::error_code error;
    auto source = std::make_unique<io::Source>(reactor, std::move(descriptor), error);
    EXPECT_FALSE(error) << error.message();
    return source;
  }

  /// Reads as a task does, waiting for as long as it takes.
  io::Transfer read(io::Source& source, std::size_t most = 4096) {
    buffer.resize(most);
    while (true) {
      if (const auto transfer = source.try_read(buffer)) return *transfer;
      Bell bell;
      source.await_readable(&bell);
      while (bell.rung == 0) reactor.turn(io::never);
    }
  }

  io::Reactor reactor;
  std::vector<std::byte> buffer;
};
