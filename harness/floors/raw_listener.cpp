// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/raw_listener.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include "harness/limits.hpp"

namespace harness::floors {

namespace {

RawListener bind_tcp(std::uint16_t port) {
  const int fd =
      checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  const int on = 1;
  checked(::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  checked(::bind(fd, reinterpret_cast<sockaddr*>(&address), length), "bind");
  checked(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  return {.fd = fd, .tcp_port = ntohs(address.sin_port)};
}

RawListener bind_unix(const std::string& name) {
  const int fd =
      checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  checked(::bind(fd, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)),
          "bind");
  return {.fd = fd, .unix_name = name};
}

}  // namespace

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error{errno, std::system_category(), what};
  return result;
}

RawListener listen_where(const Cell& cell) {
  raise_descriptor_limit();
  RawListener listener = cell.text("transport") == "unix"
                             ? bind_unix(fmt::format("yardstack-{}", ::getpid()))
                             : bind_tcp(static_cast<std::uint16_t>(cell.number("port")));
  constexpr int largest_backlog = 65'535;  // the kernel takes as much of it as somaxconn allows
  checked(::listen(listener.fd, largest_backlog), "listen");
  return listener;
}

void announce(Port& port, const RawListener& listener) {
  if (listener.unix_name.empty()) {
    port.listening({io::Endpoint::Transport::tcp, "127.0.0.1", listener.tcp_port});
  } else {
    port.listening({io::Endpoint::Transport::unix_domain, '@' + listener.unix_name, 0});
  }
}

}  // namespace harness::floors
