// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include "io/socket.hpp"

using Ends = std::pair<io::Descriptor, io::Descriptor>;

/// Both ends of a Unix-domain stream, for the reactor.
inline Ends connected_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

/// The same as two streams of one scheduler.
template <class Stream>
struct ConnectedStreams {
  template <class Scheduler>
  explicit ConnectedStreams(Scheduler& scheduler, Ends ends = connected_pair())
      : here{scheduler, std::move(ends.first), errors[0]},
        there{scheduler, std::move(ends.second), errors[1]} {
    EXPECT_FALSE(errors[0] || errors[1]);
  }

  std::array<std::error_code, 2> errors;
  Stream here;
  Stream there;
};
