// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "io/socket.hpp"
#include "io/source.hpp"
#include "stackful/runtime.hpp"
#include "stackful/scheduler.hpp"

namespace stackful {

/// A connection. Registered once with its scheduler's reactor, for as long as it lives; stays put.
/// One fiber may read while another writes.
class Stream {
 public:
  /// Takes a non-blocking descriptor; `error` says why it could not be registered.
  Stream(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error);
  /// With the calling worker, or the first one when made outside. Only its fibers may use it: on
  /// other workers all calls throw std::logic_error.
  Stream(Runtime& runtime, io::Descriptor descriptor, std::error_code& error)
      : Stream{runtime.here(), std::move(descriptor), error} {}

  /// Parks the calling fiber until read_some has something to say. For whoever wants no buffer
  /// before.
  void wait_readable();
  /// Parks the calling fiber until something can be read; 0 bytes without an error is the end.
  io::Transfer read_some(std::span<std::byte> into);
  /// Parks the calling fiber until something can be written; can write less than `from`.
  io::Transfer write_some(std::span<const std::byte> from);

 private:
  Scheduler& scheduler_;
  io::Source source_;
};

/// A listening socket, registered like a Stream. One fiber accepts.
class Listener {
 public:
  Listener(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error);
  Listener(Runtime& runtime, io::Descriptor descriptor, std::error_code& error)
      : Listener{runtime.here(), std::move(descriptor), error} {}

  /// Parks the calling fiber until a connection comes. Non-blocking, ready for a Stream of any
  /// task; limits (EMFILE, …) come as `error`.
  io::Descriptor accept(std::error_code& error);

 private:
  Scheduler& scheduler_;
  io::Source source_;
};

}  // namespace stackful
