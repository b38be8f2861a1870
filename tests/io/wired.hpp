// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include "io/reactor.hpp"
#include "io/socket.hpp"
#include "io/source.hpp"

/// Both ends of a Unix-domain stream; `ours` is the reactor's, `theirs` a blocking peer.
struct Pair {
  io::Descriptor ours;
  io::Descriptor theirs;

  Pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = io::Descriptor{ends[0]};
    theirs = io::Descriptor{ends[1]};
  }
};

/// Both ends of a TCP connection over the loopback.
struct TcpPair {
  io::Descriptor ours;
  io::Descriptor theirs;

  TcpPair() {
    std::error_code error;
    const io::Endpoint any{.host = "127.0.0.1"};
    const io::Descriptor listener = io::listen(any, io::Mode::blocking, error);
    EXPECT_FALSE(error) << error.message();
    const io::Endpoint where = io::local_endpoint(listener, error);
    theirs = io::connect(where, io::Mode::blocking, error);
    EXPECT_FALSE(error) << error.message();
    ours = io::accept(listener.get(), io::Mode::nonblocking, error);
    EXPECT_FALSE(error) << error.message();
  }
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

inline void send_all(const io::Descriptor& to, std::string_view text) {
  const io::Transfer sent = io::write_some(to.get(), bytes_of(text));
  ASSERT_FALSE(sent.error) << sent.error.message();
  ASSERT_EQ(sent.bytes, text.size());
}

/// A waiter that counts.
struct Bell : io::Waiter {
  Bell() {
    notify = [](io::Waiter& waiter) noexcept {
      ++static_cast<Bell&>(waiter).rung;
    };
  }
  int rung = 0;
};
