// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "io/socket.hpp"

namespace threads {

class Scheduler;

/// A connection whose calls block the calling thread in the kernel: there is nothing to register.
/// The descriptor must be a blocking one. One reader and one writer at a time.
class Stream {
 public:
  /// Fails with bad_file_descriptor for an empty descriptor.
  Stream(Scheduler&, io::Descriptor descriptor, std::error_code& error) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for and takes what is there, at most `into`; 0 bytes without error is the end.
  io::Transfer read_some(std::span<std::byte> into) noexcept;
  /// Waits for room and sends; the kernel may take less than all when a signal comes.
  io::Transfer write_some(std::span<const std::byte> from) noexcept;

 private:
  io::Descriptor descriptor_;
};

/// A listening socket; the descriptor must be a blocking one.
class Listener {
 public:
  /// Fails with bad_file_descriptor for an empty descriptor.
  Listener(Scheduler&, io::Descriptor descriptor, std::error_code& error) noexcept;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Waits for one connection; it blocks as the listener does. Limits (EMFILE, …) come as `error`.
  io::Descriptor accept(std::error_code& error) noexcept;

 private:
  io::Descriptor descriptor_;
};

}  // namespace threads
