// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>

namespace io {

/// Where a server listens, written `tcp:127.0.0.1:5000`, `unix:/path` or `unix:@abstract-name`.
struct Endpoint {
  enum class Transport { tcp, unix_domain };
  Transport transport = Transport::tcp;
  std::string host{};      ///< an IPv4 address; the path or @name for unix_domain
  std::uint16_t port = 0;  ///< 0 asks the kernel to choose; unused for unix_domain

  /// Sets `error` to invalid_argument, and returns an empty endpoint, for text that is none.
  static Endpoint parse(std::string_view text, std::error_code& error);
  [[nodiscard]] std::string text() const;
};

/// The kernel's form of an endpoint.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }

  /// Sets `error` for a host that is no IPv4 address, and for a path that is empty or too long.
  static Address of(const Endpoint& endpoint, std::error_code& error);
  [[nodiscard]] Endpoint endpoint() const;
};

}  // namespace io
