// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

#include "io/budget.hpp"
#include "io/socket.hpp"
#include "io/waiter.hpp"

namespace io {

class Reactor;

/// A non-blocking descriptor with its readiness, registered with one reactor, edge-triggered, for
/// its whole life and never modified. Belongs to the reactor's thread; stays put.
///
/// A fresh source counts as not readable until its first event (registration reports what is there
/// already), and as writable from the start. The reading side, as every room does it:
///     while (!(transfer = source.try_read(into))) { await_readable(&me); wait to be notified; }
///
/// A peer can be so busy that nobody ever has to wait for it. So after io::poll_budget operations
/// in a row without a wait the try_ functions answer "not ready" once, and whoever then waits is
/// notified in the reactor's next turn: all others have had theirs by then.
class Source {
 public:
  /// Registers. On failure `error` is set, and every try_ answers "not ready": do not wait for it.
  Source(Reactor& reactor, Descriptor descriptor, std::error_code& error);
  /// Deregisters and closes; nobody may be waiting. Allowed while the reactor notifies.
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Empty: not ready, wait for `await_readable`. After a short read the source counts as not
  /// ready, unless hang-up or error has been seen: data and FIN can come as one event, with none to
  /// follow.
  std::optional<Transfer> try_read(std::span<std::byte> into) noexcept;
  /// Empty: not ready, wait for `await_writable`. A short write is a full buffer: not ready.
  std::optional<Transfer> try_write(std::span<const std::byte> from) noexcept;
  /// One connection from a listening source; empty: none is waiting. A failure (EMFILE, ENFILE, …)
  /// comes as `error` with an empty descriptor. The connection is then still queued, with no event
  /// to follow, so the source stays readable: sleep a while (descriptors take time to come free),
  /// then try again; to try at once would spin, to wait for readiness would hang.
  std::optional<Descriptor> try_accept(Mode mode, std::error_code& error) noexcept;

  /// Arranges one notification: at the next readiness, in the reactor's next turn if it is ready
  /// already. One waiter a side; nullptr takes the arrangement back.
  void await_readable(Waiter* waiter) noexcept { await(reader_, waiter, readable_); }
  void await_writable(Waiter* waiter) noexcept { await(writer_, waiter, writable_); }
  [[nodiscard]] bool readable() const noexcept { return readable_; }
  [[nodiscard]] bool writable() const noexcept { return writable_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

 private:
  friend class Reactor;
  /// Takes one event (EPOLL bits) and returns how many waiters it notified. A waiter that is
  /// notified can destroy the source: nothing of it is touched from the first notification on.
  std::size_t deliver(std::uint32_t events) noexcept;
  /// Ends a rest; otherwise like deliver.
  std::size_t end_rest() noexcept;
  std::size_t notify(bool readers, bool writers) noexcept;

  void await(Waiter*& side, Waiter* waiter, bool is_ready) noexcept {
    side = waiter;
    if (is_ready && waiter != nullptr) {
      rest();
    } else {
      spent_ = 0;
    }
  }
  void rest() noexcept;
  [[nodiscard]] bool exhausted() const noexcept { return spent_ >= poll_budget; }

  Reactor& reactor_;
  Waiter* reader_ = nullptr;
  Waiter* writer_ = nullptr;
  Source* next_resting_ = nullptr;
  Descriptor descriptor_;
  std::uint8_t spent_ = 0;  // operations since the last wait
  bool resting_ : 1 = false;
  bool registered_ : 1 = false;
  bool readable_ : 1 = false;
  bool writable_ : 1 = false;
  bool ended_ : 1 = false;  // hang-up or error seen: a short read promises no further event
};
static_assert(poll_budget < 255, "spent_ counts to it");

}  // namespace io
