// SPDX-License-Identifier: BSL-1.0
#include "tests/contract/peer.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>

namespace contract {
namespace {

void set_option(int fd, int option, const void* value, std::size_t size) {
  EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, option, value, static_cast<socklen_t>(size)), 0);
}

bool is_broken(int error) {
  return error == ECONNRESET || error == EPIPE;
}

}  // namespace

Bytes pattern(std::size_t size, std::uint32_t seed) {
  std::minstd_rand next{seed};
  Bytes bytes(size);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(next() >> 8);
  }
  return bytes;
}

Peer::Peer(const io::Endpoint& where) {
  std::error_code error;
  socket_ = io::connect(where, io::Mode::blocking, error);
  EXPECT_FALSE(error) << error.message();
}

bool Peer::send(std::span<const std::byte> message) {
  while (!message.empty()) {
    const ssize_t sent = ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      EXPECT_TRUE(is_broken(errno)) << errno;
      return false;
    }
    message = message.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t Peer::send_what_fits(std::span<const std::byte> message) {
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  const ssize_t sent = ::send(socket_.get(), message.data(), message.size(), flags);
  if (sent < 0) {
    EXPECT_EQ(errno, EAGAIN);
  }
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

Bytes Peer::receive(std::size_t size) {
  Bytes received(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::recv(socket_.get(), &received[have], size - have, 0);
    if (got < 0) {
      EXPECT_TRUE(is_broken(errno)) << errno;
    }
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  received.resize(have);
  return received;
}

Bytes Peer::exchange(std::span<const std::byte> message) {
  Bytes received;
  const std::size_t size = message.size();
  while (received.size() < size) {
    const short send_too = message.empty() ? short{0} : short{POLLOUT};
    pollfd ready{
        .fd = socket_.get(), .events = static_cast<short>(POLLIN | send_too), .revents = 0};
    EXPECT_EQ(::poll(&ready, 1, -1), 1);
    if ((ready.revents & POLLOUT) != 0) message = message.subspan(send_what_fits(message));
    if ((ready.revents & ~POLLOUT) != 0) {
      Bytes part(std::min<std::size_t>(size - received.size(), 65536));
      const ssize_t got = ::recv(socket_.get(), part.data(), part.size(), MSG_DONTWAIT);
      if (got <= 0) break;
      received.insert(received.end(), part.begin(), part.begin() + got);
    }
  }
  return received;
}

bool Peer::at_end() {
  std::byte one{};
  return ::recv(socket_.get(), &one, 1, 0) == 0;
}

void Peer::finish_sending() {
  EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0);
}

void Peer::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  set_option(socket_.get(), SO_LINGER, &at_once, sizeof at_once);
  socket_.reset();
}

void Peer::receive_little() {
  const int bytes = 4096;
  set_option(socket_.get(), SO_RCVBUF, &bytes, sizeof bytes);
}

}  // namespace contract
