// SPDX-License-Identifier: BSL-1.0
#include "tests/harness/load/hostile_server.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace harness::load::test {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), what};
  return result;
}

}  // namespace

HostileServer::HostileServer(Session session)
    : session_{std::move(session)},
      listener_{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")} {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  checked(::bind(listener_, any, length), "bind");
  checked(::listen(listener_, 1024), "listen");
  checked(::getsockname(listener_, any, &length), "getsockname");
  address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  acceptor_ = std::thread{[this] {
    let_in();
  }};
}

HostileServer::~HostileServer() {
  over_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock{mutex_};
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& session : sessions_) session.join();
  for (const int socket : sockets_) ::close(socket);
  ::close(listener_);
}

std::vector<std::string> HostileServer::visitors() {
  const std::lock_guard lock{mutex_};
  return visitors_;
}

// Sockets stay open, half dead, until the server goes, so that no number is used twice.
void HostileServer::let_in() {
  while (true) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    const int socket =
        ::accept4(listener_, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC);
    if (socket < 0 && errno == EINTR) continue;
    if (socket < 0) return;
    const int on = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::lock_guard lock{mutex_};
    char text[INET_ADDRSTRLEN] = {};
    if (::inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text) != nullptr) {
      visitors_.emplace_back(text);
    }
    sockets_.push_back(socket);
    sessions_.emplace_back([this, socket] {
      session_(socket);
      ::shutdown(socket, SHUT_RDWR);
    });
  }
}

bool receive(int socket, std::span<std::byte> whole) {
  while (!whole.empty()) {
    const ssize_t got = ::recv(socket, whole.data(), whole.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    whole = whole.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool send(int socket, std::span<const std::byte> whole) {
  while (!whole.empty()) {
    const ssize_t put = ::send(socket, whole.data(), whole.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    whole = whole.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

void reset(int socket) {
  // Connecting a TCP socket to nowhere tears its connection down at once, with a reset, and leaves
  // the descriptor to its owner.
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  const linger at_once{1, 0};
  checked(::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), "SO_LINGER");
  checked(::connect(socket, &nowhere, sizeof nowhere), "connect to nowhere");
}

HostileServer::Session echo(
    std::size_t bytes,
    std::function<bool(int socket, unsigned number, std::vector<std::byte>& message)> each) {
  return [bytes, each = std::move(each)](int socket) {
    std::vector<std::byte> message(bytes);
    for (unsigned number = 0; receive(socket, message); ++number) {
      std::vector<std::byte> answer = message;
      if (each && !each(socket, number, answer)) return;
      if (!send(socket, answer)) return;
    }
  };
}

}  // namespace harness::load::test
