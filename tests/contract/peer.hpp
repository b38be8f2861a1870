// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/socket.hpp"

namespace contract {

using Bytes = std::vector<std::byte>;

/// Bytes that tell a shifted, repeated or lost part: no two places of a message look alike.
Bytes pattern(std::size_t size, std::uint32_t seed = 1);

/// The other end of a connection: what a client does, well or badly behaved. Blocking, on a thread
/// of its own, with bare system calls: those of io/ are counted, and these must not be among them.
class Peer {
 public:
  /// Connects; a failure fails the test.
  explicit Peer(const io::Endpoint& where);

  /// Sends all; false when the connection broke meanwhile.
  bool send(std::span<const std::byte> message);
  /// Sends without waiting for room; returns what the kernel took.
  std::size_t send_what_fits(std::span<const std::byte> message);
  /// Receives `size` bytes, fewer when the other end finishes or resets.
  Bytes receive(std::size_t size);
  /// Sends and receives at the same time, until as much has come back.
  Bytes exchange(std::span<const std::byte> message);
  /// No byte is left and the other end has finished.
  bool at_end();
  /// No more will be sent; what is under way still arrives.
  void finish_sending();
  /// Throws the connection away: the other end is told so (TCP: a reset).
  void reset();
  /// A small receive window, so that an unread connection soon is full.
  void receive_little();

 private:
  io::Descriptor socket_;
};

}  // namespace contract
