// SPDX-License-Identifier: BSL-1.0
// How sockets come about: listen, accept, connect.
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/counters.hpp"
#include "io/socket.hpp"

namespace io {
namespace {

std::error_code last_error() noexcept {
  return {errno, std::system_category()};
}

bool set_option(int fd, int level, int option) noexcept {
  const int on = 1;
  return ::setsockopt(fd, level, option, &on, sizeof on) == 0;
}

Descriptor open_socket(const Address& address, std::error_code& error) {
  Descriptor socket{::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!socket) error = last_error();
  return socket;
}

bool set_mode(const Descriptor& socket, Mode mode, std::error_code& error) {
  if (mode == Mode::blocking) return true;
  const int flags = ::fcntl(socket.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    error = last_error();
    return false;
  }
  return true;
}

bool is_served(const Address& address) {
  std::error_code error;
  const Descriptor probe = open_socket(address, error);
  if (!probe || !set_mode(probe, Mode::nonblocking, error)) return true;
  return ::connect(probe.get(), address.get(), address.size) == 0 || errno != ECONNREFUSED;
}

/// Removes a socket file that no server listens on any more.
bool remove_stale_path(const Endpoint& where, const Address& address) {
  const bool is_path =
      where.transport == Endpoint::Transport::unix_domain && where.host.starts_with('/');
  if (!is_path) return false;
  struct stat status {};
  if (::lstat(where.host.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  return !is_served(address) && ::unlink(where.host.c_str()) == 0;
}

bool bind_to(const Descriptor& socket, const Endpoint& where, const Address& address,
             std::error_code& error) {
  if (::bind(socket.get(), address.get(), address.size) == 0) return true;
  error = last_error();
  if (error != std::errc::address_in_use || !remove_stale_path(where, address)) return false;
  error.clear();
  if (::bind(socket.get(), address.get(), address.size) == 0) return true;
  error = last_error();
  return false;
}

/// An interrupted TCP connect goes on by itself; its outcome is told by SO_ERROR.
bool finish_interrupted_connect(const Descriptor& socket, std::error_code& error) {
  pollfd writable{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  while (::poll(&writable, 1, -1) < 0) {
    if (errno != EINTR) {
      error = last_error();
      return false;
    }
  }
  int outcome = 0;
  socklen_t size = sizeof outcome;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &outcome, &size) != 0) outcome = errno;
  if (outcome != 0) error = {outcome, std::system_category()};
  return outcome == 0;
}

bool connect_to(const Descriptor& socket, const Address& address, std::error_code& error) {
  while (::connect(socket.get(), address.get(), address.size) != 0) {
    if (errno == EINTR && address.storage.ss_family == AF_INET) {
      return finish_interrupted_connect(socket, error);
    }
    if (errno != EINTR) {
      error = last_error();
      return false;
    }
  }
  return true;
}

}  // namespace

Descriptor listen(const Endpoint& where, Mode mode, std::error_code& error) {
  const Address address = Address::of(where, error);
  if (error) return {};
  Descriptor socket = open_socket(address, error);
  if (!socket || !set_mode(socket, mode, error)) return {};
  if (!set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR)) {
    error = last_error();
    return {};
  }
  if (!bind_to(socket, where, address, error)) return {};
  // The kernel lowers the backlog to net.core.somaxconn.
  if (::listen(socket.get(), std::numeric_limits<int>::max()) != 0) {
    error = last_error();
    return {};
  }
  return socket;
}

Endpoint local_endpoint(const Descriptor& listener, std::error_code& error) {
  error.clear();
  Address address;
  if (::getsockname(listener.get(), address.get(), &address.size) != 0) {
    error = last_error();
    return {};
  }
  return address.endpoint();
}

Descriptor accept(int listener, Mode mode, std::error_code& error) noexcept {
  error.clear();
  const int flags = SOCK_CLOEXEC | (mode == Mode::nonblocking ? SOCK_NONBLOCK : 0);
  while (true) {
    Address peer;
    count(SystemCall::accept);
    Descriptor connection{::accept4(listener, peer.get(), &peer.size, flags)};
    if (!connection && (errno == EINTR || errno == ECONNABORTED)) continue;
    const bool is_tcp = peer.storage.ss_family == AF_INET;
    if (!connection || (is_tcp && !set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY))) {
      error = last_error();
      return {};
    }
    return connection;
  }
}

Descriptor connect(const Endpoint& where, Mode mode, std::error_code& error) {
  const Address address = Address::of(where, error);
  if (error) return {};
  Descriptor socket = open_socket(address, error);
  if (!socket || !connect_to(socket, address, error) || !set_mode(socket, mode, error)) return {};
  const bool is_tcp = where.transport == Endpoint::Transport::tcp;
  if (is_tcp && !set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY)) {
    error = last_error();
    return {};
  }
  return socket;
}

}  // namespace io
