// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <system_error>

#include "io/socket.hpp"
#include "io/waiter.hpp"

namespace io {

class Reactor;

/// A non-blocking descriptor with its readiness, registered with one reactor, edge-triggered, for
/// its whole life and never modified. Belongs to the reactor's thread; stays put.
///
/// The reading side, as every room does it:
///     while (!(transfer = source.try_read(into))) { wait until source.reader is notified; }
class Source {
 public:
  Source(Reactor& reactor, Descriptor descriptor, std::error_code& error);
  ~Source();  ///< deregisters and closes; nobody may be waiting
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Empty: not ready, wait for `await_readable`. After a short read the source counts as not ready,
  /// unless hang-up or error has been seen: data and FIN can come as one event, with none to follow.
  std::optional<Transfer> try_read(std::span<std::byte> into) noexcept;
  std::optional<Transfer> try_write(std::span<const std::byte> from) noexcept;
  /// One connection from a listening source; empty: none is waiting.
  std::optional<Descriptor> try_accept(Mode mode, std::error_code& error) noexcept;

  /// Arranges one notification at the next readiness, at once-if-already-ready being the caller's
  /// duty (call try_ first). One waiter a side; nullptr takes the arrangement back.
  void await_readable(Waiter* waiter) noexcept;
  void await_writable(Waiter* waiter) noexcept;
  [[nodiscard]] bool readable() const noexcept;
};

}  // namespace io
