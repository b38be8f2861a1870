// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <utility>

#include "io/socket.hpp"

/// Both ends of a Unix-domain stream, for the reactor.
inline std::pair<io::Descriptor, io::Descriptor> connected_pair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}
