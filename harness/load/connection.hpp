// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/load/address.hpp"
#include "harness/load/errors.hpp"
#include "harness/load/pattern.hpp"

namespace harness::load {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Nanoseconds = std::chrono::nanoseconds;

/// One connection, one message under way at most. Sends and receives at the same time, for a server
/// that streams a large message through a small buffer stops reading when it is not read from.
class Connection {
 public:
  enum class Progress { waiting, answered, broken };

  Connection(Handle handle, std::uint32_t index, const Pattern& pattern)
      : handle_{std::move(handle)}, index_{index}, pattern_{&pattern} {}

  /// Starts the next message and sends what the socket takes. `intended` is when it was due.
  Progress begin(TimePoint intended, TimePoint now);
  /// Goes on after an epoll event, `scratch` being a buffer that any connection may use.
  Progress go_on(std::uint32_t events, std::span<std::byte> scratch);
  /// Gives the connection up for a reason found elsewhere.
  void fail(ErrorKind error) noexcept;
  void close() noexcept { handle_.close(); }

  [[nodiscard]] int descriptor() const noexcept { return handle_.get(); }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] bool open() const noexcept { return static_cast<bool>(handle_); }
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  /// Whether part of the message waits for the socket to become writable.
  [[nodiscard]] bool blocked() const noexcept { return busy_ && sent_ < pattern_->bytes(); }
  [[nodiscard]] TimePoint intended() const noexcept { return intended_; }
  [[nodiscard]] TimePoint begun() const noexcept { return begun_; }
  [[nodiscard]] ErrorKind error() const noexcept { return error_; }

  bool watches_writable = false;  ///< kept by whoever registers the connection with epoll

 private:
  Progress send();
  Progress receive(bool ending, std::span<std::byte> scratch);
  Progress accept(std::span<const std::byte> bytes);
  Progress broken(ErrorKind error) noexcept;

  Handle handle_;
  std::uint32_t index_;
  bool busy_ = false;
  bool ended_ = false;  // the peer has said so behind an answer
  ErrorKind error_ = ErrorKind::connect;
  const Pattern* pattern_;
  std::span<const std::byte> message_;
  std::uint64_t sequence_ = 0;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  TimePoint intended_{};
  TimePoint begun_{};
};

}  // namespace harness::load
