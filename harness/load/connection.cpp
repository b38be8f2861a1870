// SPDX-License-Identifier: BSL-1.0
#include "harness/load/connection.hpp"

#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace harness::load {

Connection::Progress Connection::begin(TimePoint intended, TimePoint now) {
  if (ended_) return broken(ErrorKind::closed);
  message_ = pattern_->message(index_, sequence_++);
  intended_ = intended;
  begun_ = now;
  sent_ = received_ = 0;
  busy_ = true;
  return send();
}

Connection::Progress Connection::go_on(std::uint32_t events, std::span<std::byte> scratch) {
  if ((events & EPOLLOUT) != 0 && blocked() && send() == Progress::broken) return Progress::broken;
  if ((events & ~std::uint32_t{EPOLLOUT}) == 0) return Progress::waiting;
  return receive((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0, scratch);
}

void Connection::fail(ErrorKind error) noexcept {
  error_ = error;
  busy_ = false;
}

Connection::Progress Connection::send() {
  while (sent_ < message_.size()) {
    const auto rest = message_.subspan(sent_);
    const ssize_t moved = ::send(handle_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (moved < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return Progress::waiting;
      return broken(ErrorKind::reset);
    }
    sent_ += static_cast<std::size_t>(moved);
  }
  return Progress::waiting;
}

// Events are edge-triggered: a short read has emptied the socket, unless its end came along.
Connection::Progress Connection::receive(bool ending, std::span<std::byte> scratch) {
  Progress progress = Progress::waiting;
  for (;;) {
    const ssize_t moved = ::recv(handle_.get(), scratch.data(), scratch.size(), 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && errno == EAGAIN) return progress;
    if (moved <= 0) {
      ended_ = true;
      if (progress == Progress::answered) return progress;
      if (moved < 0) return broken(ErrorKind::reset);
      return broken(busy_ && received_ > 0 ? ErrorKind::cut_short : ErrorKind::closed);
    }
    const auto bytes = scratch.first(static_cast<std::size_t>(moved));
    if (const Progress now = accept(bytes); now != Progress::waiting) progress = now;
    if (progress == Progress::broken) return progress;
    if (bytes.size() < scratch.size() && !ending) return progress;
  }
}

Connection::Progress Connection::accept(std::span<const std::byte> bytes) {
  const bool right = busy_ && bytes.size() <= sent_ - received_ &&
                     std::memcmp(message_.data() + received_, bytes.data(), bytes.size()) == 0;
  if (!right) return broken(ErrorKind::corrupt);
  received_ += bytes.size();
  if (received_ < message_.size()) return Progress::waiting;
  busy_ = false;
  return Progress::answered;
}

Connection::Progress Connection::broken(ErrorKind error) noexcept {
  fail(error);
  return Progress::broken;
}

}  // namespace harness::load
