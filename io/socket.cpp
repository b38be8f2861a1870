// SPDX-License-Identifier: BSL-1.0
#include "io/socket.hpp"

#include <cerrno>
#include <exception>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "io/counters.hpp"

namespace io {
namespace {

template <class Call>
Transfer transfer_by(SystemCall kind, Call call) noexcept {
  while (true) {
    count(kind);
    const ssize_t moved = call();
    if (moved >= 0) return {static_cast<std::size_t>(moved), {}};
    if (errno != EINTR) return {0, std::error_code{errno, std::system_category()}};
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() noexcept {
  return std::exchange(fd_, -1);
}

void Descriptor::reset() noexcept {
  const int fd = release();
  // Other failures (EINTR, EIO) leave it closed as well.
  if (fd >= 0 && ::close(fd) != 0 && errno == EBADF) std::terminate();
}

bool would_block(const std::error_code& error) noexcept {
  return error.category() == std::system_category() &&
         (error.value() == EAGAIN || error.value() == EWOULDBLOCK);
}

Transfer read_some(int fd, std::span<std::byte> into) noexcept {
  return transfer_by(SystemCall::read, [&] { return ::recv(fd, into.data(), into.size(), 0); });
}

Transfer write_some(int fd, std::span<const std::byte> from) noexcept {
  return transfer_by(SystemCall::write,
                     [&] { return ::send(fd, from.data(), from.size(), MSG_NOSIGNAL); });
}

}  // namespace io
