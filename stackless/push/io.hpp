// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "io/socket.hpp"
#include "io/source.hpp"
#include "stackless/push/cancellation.hpp"
#include "stackless/push/loop.hpp"
#include "stackless/push/promise.hpp"

namespace stackless::push {

/// A non-blocking connection, registered with the loop's reactor for its whole life; stays put. One
/// read and one write under way at a time; it outlives them, and they the buffers.
class Stream {
 public:
  Stream(Loop& loop, io::Descriptor descriptor, std::error_code& error);

  /// Reads at once if it can; else when there is something. 0 bytes without error is the end.
  [[nodiscard]] Promise<io::Transfer> read_some(std::span<std::byte> into,
                                                CancellationToken token = {});
  [[nodiscard]] Promise<io::Transfer> write_some(std::span<const std::byte> from,
                                                 CancellationToken token = {});

 private:
  Loop* loop_;
  io::Source source_;
};

/// A listening socket.
class Listener {
 public:
  Listener(Loop& loop, io::Descriptor descriptor, std::error_code& error);

  /// One connection. Limits (EMFILE, …) come as `error`, which has to outlive the operation, with
  /// an empty descriptor.
  [[nodiscard]] Promise<io::Descriptor> accept(std::error_code& error,
                                               CancellationToken token = {});

 private:
  Loop* loop_;
  io::Source source_;
};

}  // namespace stackless::push
