// SPDX-License-Identifier: BSL-1.0
#include "harness/load/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace harness::load {
namespace {

std::error_code last_error() {
  return {errno, std::generic_category()};
}

bool bind_source(int fd, unsigned source) {
  // The port is chosen at connect, where the kernel knows the whole four-tuple: else a source
  // address has 28,000 ports in all instead of 28,000 a target.
  const int late = 1;
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + source);
  return ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof late) == 0 &&
         ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
}

bool without_delay(int fd) {
  const int on = 1;
  return ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
}

std::error_code until_connected(int fd, std::chrono::steady_clock::time_point deadline) {
  using namespace std::chrono;
  const auto left = ceil<milliseconds>(deadline - steady_clock::now());
  pollfd watched{fd, POLLOUT, 0};
  const int ready = ::poll(&watched, 1, static_cast<int>(std::max<long>(left.count(), 0)));
  if (ready < 0) return last_error();
  if (ready == 0) return std::make_error_code(std::errc::timed_out);
  int outcome = 0;
  socklen_t length = sizeof outcome;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &outcome, &length) != 0) return last_error();
  return {outcome, std::generic_category()};
}

}  // namespace

Handle::Handle(Handle&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Handle::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Address Address::parse(std::string_view text, std::error_code& error) {
  constexpr std::string_view unix_prefix = "unix:", tcp_prefix = "tcp:";
  Address address;
  bool understood = false;
  if (text.starts_with(unix_prefix)) {
    understood = address.parse_unix(text.substr(unix_prefix.size()));
    address.text_ = text;
  } else {
    if (text.starts_with(tcp_prefix)) text.remove_prefix(tcp_prefix.size());
    understood = address.parse_tcp(text);
    address.text_ = std::string{tcp_prefix} + std::string{text};
  }
  error = understood ? std::error_code{} : std::make_error_code(std::errc::invalid_argument);
  return understood ? address : Address{};
}

bool Address::parse_tcp(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string host{text.substr(0, colon)};
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + colon + 1, end, port);
  auto& address = reinterpret_cast<sockaddr_in&>(socket_address_);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  length_ = sizeof address;
  return fault == std::errc{} && stop == end && port != 0 &&
         ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1;
}

bool Address::parse_unix(std::string_view text) {
  auto& address = reinterpret_cast<sockaddr_un&>(socket_address_);
  if (text.empty() || text.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, text.data(), text.size());
  const bool abstract = text.front() == '@';
  if (abstract) address.sun_path[0] = '\0';
  length_ =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (abstract ? 0 : 1));
  return true;
}

bool Address::loopback() const noexcept {
  const auto& address = reinterpret_cast<const sockaddr_in&>(socket_address_);
  return tcp() && (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}

Handle Address::connect(unsigned source, std::chrono::nanoseconds patience,
                        std::error_code& error) const {
  error.clear();
  Handle handle{::socket(socket_address_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!handle || (tcp() && !without_delay(handle.get())) ||
      (source != 0 && !bind_source(handle.get(), source))) {
    error = last_error();
    return {};
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto* to = reinterpret_cast<const sockaddr*>(&socket_address_);
  while (::connect(handle.get(), to, length_) != 0) {
    if (errno == EINPROGRESS) {
      error = until_connected(handle.get(), deadline);
      break;
    }
    // A Unix-domain socket does not wait for room in the backlog: it says EAGAIN.
    const bool full = errno == EAGAIN && !tcp() && std::chrono::steady_clock::now() < deadline;
    if (!full || ::poll(nullptr, 0, 1) != 0) {
      error = last_error();
      break;
    }
  }
  return error ? Handle{} : std::move(handle);
}

}  // namespace harness::load
