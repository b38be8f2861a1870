// SPDX-License-Identifier: BSL-1.0
#include "io/socket.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "io/counters.hpp"

namespace io {
namespace {

std::error_code last_error() noexcept {
  return {errno, std::system_category()};
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;

  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};

constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

/// An abstract name begins with a zero byte, written '@', and has no terminator.
bool is_abstract(const std::string& host) {
  return host.starts_with('@');
}

Address unix_address(const Endpoint& where) {
  Address address;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, where.host.data(), where.host.size());
  if (is_abstract(where.host)) name.sun_path[0] = '\0';
  std::memcpy(&address.storage, &name, sizeof name);
  const std::size_t terminator = is_abstract(where.host) ? 0 : 1;
  address.length = static_cast<socklen_t>(path_offset + where.host.size() + terminator);
  return address;
}

Address tcp_address(const Endpoint& where, std::error_code& error) {
  Address address;
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(where.port);
  if (::inet_pton(AF_INET, where.host.c_str(), &name.sin_addr) != 1) {
    error = std::make_error_code(std::errc::invalid_argument);
  }
  std::memcpy(&address.storage, &name, sizeof name);
  address.length = sizeof name;
  return address;
}

Address address_of(const Endpoint& where, std::error_code& error) {
  error.clear();
  if (where.transport == Endpoint::Transport::tcp) return tcp_address(where, error);
  if (where.host.empty() || where.host.size() > longest_path) {
    error = std::make_error_code(where.host.empty() ? std::errc::invalid_argument
                                                    : std::errc::filename_too_long);
    return {};
  }
  return unix_address(where);
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
  return ::connect(probe.get(), address.get(), address.length) == 0 || errno != ECONNREFUSED;
}

/// Removes a socket file that no server listens on any more.
bool remove_stale_path(const Endpoint& where, const Address& address) {
  if (where.transport != Endpoint::Transport::unix_domain || is_abstract(where.host)) return false;
  struct stat status {};
  if (::lstat(where.host.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  return !is_served(address) && ::unlink(where.host.c_str()) == 0;
}

bool bind_to(const Descriptor& socket, const Endpoint& where, const Address& address,
             std::error_code& error) {
  if (::bind(socket.get(), address.get(), address.length) == 0) return true;
  error = last_error();
  if (error != std::errc::address_in_use || !remove_stale_path(where, address)) return false;
  error.clear();
  if (::bind(socket.get(), address.get(), address.length) == 0) return true;
  error = last_error();
  return false;
}

/// An interrupted connect goes on by itself; its outcome is told by SO_ERROR.
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
  if (::connect(socket.get(), address.get(), address.length) == 0) return true;
  if (errno == EINTR) return finish_interrupted_connect(socket, error);
  error = last_error();
  return false;
}

Endpoint endpoint_of(const Address& address) {
  Endpoint endpoint;
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in name{};
    std::memcpy(&name, &address.storage, sizeof name);
    char text[INET_ADDRSTRLEN] = {};
    if (::inet_ntop(AF_INET, &name.sin_addr, text, sizeof text) != nullptr) endpoint.host = text;
    endpoint.port = ntohs(name.sin_port);
    return endpoint;
  }
  endpoint.transport = Endpoint::Transport::unix_domain;
  sockaddr_un name{};
  std::memcpy(&name, &address.storage, sizeof name);
  const std::size_t length = address.length > path_offset ? address.length - path_offset : 0;
  endpoint.host.assign(name.sun_path, length);
  if (endpoint.host.starts_with('\0')) {
    endpoint.host.front() = '@';
  } else {
    endpoint.host.resize(::strnlen(endpoint.host.data(), endpoint.host.size()));
  }
  return endpoint;
}

template <class Call>
Transfer transfer_by(SystemCall kind, Call call) noexcept {
  while (true) {
    count(kind);
    const ssize_t moved = call();
    if (moved >= 0) return {static_cast<std::size_t>(moved), {}};
    if (errno != EINTR) return {0, last_error()};
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

Endpoint Endpoint::parse(std::string_view text, std::error_code& error) {
  error = std::make_error_code(std::errc::invalid_argument);
  Endpoint endpoint;
  if (text.starts_with("unix:")) {
    endpoint.transport = Transport::unix_domain;
    endpoint.host = text.substr(5);
    const bool named = endpoint.host.starts_with('/') || endpoint.host.starts_with('@');
    const bool fits = endpoint.host.size() >= 2 && endpoint.host.size() <= longest_path;
    if (!named || !fits || endpoint.host.find('\0') != std::string::npos) return {};
    error.clear();
    return endpoint;
  }
  const std::size_t colon = text.rfind(':');
  if (!text.starts_with("tcp:") || colon < 4) return {};
  endpoint.host = text.substr(4, colon - 4);
  const std::string_view digits = text.substr(colon + 1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, endpoint.port);
  in_addr numeric{};
  const bool is_number = failure == std::errc{} && stop == end && !digits.empty();
  if (!is_number || ::inet_pton(AF_INET, endpoint.host.c_str(), &numeric) != 1) return {};
  error.clear();
  return endpoint;
}

std::string Endpoint::text() const {
  if (transport == Transport::unix_domain) return "unix:" + host;
  return "tcp:" + host + ":" + std::to_string(port);
}

bool would_block(const std::error_code& error) noexcept {
  return error.category() == std::system_category() &&
         (error.value() == EAGAIN || error.value() == EWOULDBLOCK);
}

Descriptor listen(const Endpoint& where, Mode mode, std::error_code& error) {
  const Address address = address_of(where, error);
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
  if (::getsockname(listener.get(), address.get(), &address.length) != 0) {
    error = last_error();
    return {};
  }
  return endpoint_of(address);
}

Descriptor accept(int listener, Mode mode, std::error_code& error) noexcept {
  error.clear();
  const int flags = SOCK_CLOEXEC | (mode == Mode::nonblocking ? SOCK_NONBLOCK : 0);
  while (true) {
    Address peer;
    count(SystemCall::accept);
    Descriptor connection{::accept4(listener, peer.get(), &peer.length, flags)};
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
  const Address address = address_of(where, error);
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

Transfer read_some(int fd, std::span<std::byte> into) noexcept {
  return transfer_by(SystemCall::read, [&] { return ::recv(fd, into.data(), into.size(), 0); });
}

Transfer write_some(int fd, std::span<const std::byte> from) noexcept {
  return transfer_by(SystemCall::write,
                     [&] { return ::send(fd, from.data(), from.size(), MSG_NOSIGNAL); });
}

}  // namespace io
