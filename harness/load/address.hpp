// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>

namespace harness::load {

/// Owns one descriptor. The load generator shares nothing with the ground floor it measures, not
/// even this.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int fd) noexcept : fd_{fd} {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

/// Where a server listens: `tcp:127.0.0.1:5000` (or just `127.0.0.1:5000`), `unix:/path`,
/// `unix:@abstract-name`.
class Address {
 public:
  /// Sets `error` to invalid_argument for text that is no address.
  static Address parse(std::string_view text, std::error_code& error);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool tcp() const noexcept { return socket_address_.ss_family == AF_INET; }
  /// Whether it lies in 127.0.0.0/8, where every source address is ours to use.
  [[nodiscard]] bool loopback() const noexcept;

  /// A non-blocking socket (TCP_NODELAY set) whose connection stands; where `source` is not 0 it
  /// leaves from 127.0.0.`source`. Waits no longer than `patience`: then `error` is timed_out, and
  /// after a signal interrupted.
  [[nodiscard]] Handle connect(unsigned source, std::chrono::nanoseconds patience,
                               std::error_code& error) const;

 private:
  bool parse_tcp(std::string_view text);
  bool parse_unix(std::string_view text);

  std::string text_;
  sockaddr_storage socket_address_{};
  socklen_t length_ = 0;
};

}  // namespace harness::load
