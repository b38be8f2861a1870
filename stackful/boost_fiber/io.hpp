// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "io/socket.hpp"
#include "io/source.hpp"

namespace stackful::boost_fiber {

class Scheduler;

/// A connected socket whose calls suspend the calling fiber until they can be done. Registered with
/// the runtime's reactor for its whole life; used by the runtime's tasks; stays put. One reader and
/// one writer at a time.
class Stream {
 public:
  /// `descriptor` must be non-blocking. Sets `error` when it cannot be registered.
  Stream(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error);

  /// Waits until read_some has something to say. For whoever wants no buffer before.
  void wait_readable() noexcept;
  /// Waits until there is something to read. No bytes without an error: the end of the stream.
  io::Transfer read_some(std::span<std::byte> into) noexcept;
  /// Waits until there is room; may take less than all.
  io::Transfer write_some(std::span<const std::byte> from) noexcept;

 private:
  Scheduler& scheduler_;
  io::Source source_;
};

/// A listening socket whose `accept` suspends the calling fiber until a connection is there.
class Listener {
 public:
  Listener(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error);

  /// A non-blocking connection, or `error`: EMFILE and the like are the caller's to handle.
  io::Descriptor accept(std::error_code& error) noexcept;

 private:
  Scheduler& scheduler_;
  io::Source source_;
};

}  // namespace stackful::boost_fiber
