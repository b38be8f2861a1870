// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <sys/epoll.h>
#include <vector>

#include "harness/load/connection.hpp"

namespace harness::load {

/// The connections to one server, on an epoll of their own.
class Crowd {
 public:
  /// Who decides what a connection does next. Called between two events, so it may begin messages.
  class Driver {
   public:
    virtual void answered(Connection& connection, TimePoint now) = 0;
    /// The connection is counted as an error and closed.
    virtual void broken(Connection& connection) = 0;

   protected:
    ~Driver() = default;
  };

  /// Waiting for an answer longer than `timeout` breaks a connection.
  /// Throws std::system_error when no epoll can be had.
  Crowd(const Pattern& pattern, std::size_t capacity, Nanoseconds timeout);

  /// Takes in a connection that stands. Throws std::system_error when epoll cannot watch it.
  Connection& add(Handle handle);
  /// Starts the next message of an idle connection.
  void begin(Connection& connection, TimePoint intended, TimePoint now, Driver& driver);
  /// Waits at most so long for events and works through them. True if there were any.
  /// Throws Failure (`interrupted:`) after a signal.
  bool turn(Nanoseconds at_most, Driver& driver);
  void close_all() noexcept;

  [[nodiscard]] Connection& operator[](std::size_t index) { return *connections_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }
  [[nodiscard]] std::size_t open() const noexcept { return open_; }
  /// Connections with a message under way.
  [[nodiscard]] std::size_t busy() const noexcept { return busy_; }
  [[nodiscard]] const Errors& errors() const noexcept { return errors_; }

 private:
  void settle(Connection& connection, Connection::Progress progress, bool was_busy, Driver& driver);
  void drop(Connection& connection, Driver& driver);
  void watch(Connection& connection);
  void expire(TimePoint now, Driver& driver);

  const Pattern* pattern_;
  Nanoseconds timeout_;
  Nanoseconds between_expiries_;
  Handle epoll_;
  std::vector<std::unique_ptr<Connection>> connections_;  // each stays put: epoll knows its address
  std::vector<std::byte> scratch_;
  std::array<epoll_event, 256> events_{};
  std::size_t open_ = 0;
  std::size_t busy_ = 0;
  Errors errors_;
  TimePoint next_expiry_{};
};

}  // namespace harness::load
