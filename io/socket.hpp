// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "io/endpoint.hpp"

namespace io {

/// Owns one file descriptor; closes it once. Movable, empty after a move. A descriptor that
/// somebody else has closed already ends the program: to go on would close a stranger's.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{other.release()} {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept;
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// Whether `error` only says "not now" (EAGAIN).
[[nodiscard]] bool would_block(const std::error_code& error) noexcept;

/// What one read or write moved. `bytes == 0` without an error is the end of the stream (a read).
struct Transfer {
  std::size_t bytes = 0;
  std::error_code error;

  [[nodiscard]] bool would_block() const noexcept { return io::would_block(error); }
};

/// Whether calls on a descriptor wait in the kernel (threads) or return at once (the reactor's).
enum class Mode { blocking, nonblocking };

/// A listening socket with the largest backlog the kernel allows. A Unix-domain path left behind by
/// a server that is gone is taken over; one that is served, or is no socket, is EADDRINUSE. The
/// path stays behind when the listener closes.
Descriptor listen(const Endpoint& where, Mode mode, std::error_code& error);
/// The endpoint a listening socket is bound to, the kernel's choice of port included.
Endpoint local_endpoint(const Descriptor& listener, std::error_code& error);
/// Takes one connection (TCP_NODELAY set); would-block and limits (EMFILE, …) come as `error`. A
/// connection that its client gave up while it was queued is passed over.
Descriptor accept(int listener, Mode mode, std::error_code& error) noexcept;
/// Connects and waits until the connection stands (TCP_NODELAY set).
Descriptor connect(const Endpoint& where, Mode mode, std::error_code& error);

/// One recv / one send; counted, never raises SIGPIPE, repeats itself after EINTR.
Transfer read_some(int fd, std::span<std::byte> into) noexcept;
Transfer write_some(int fd, std::span<const std::byte> from) noexcept;

}  // namespace io
