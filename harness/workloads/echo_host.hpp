// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "harness/cell.hpp"
#include "harness/subject.hpp"
#include "io/clock.hpp"
#include "io/counters.hpp"
#include "io/socket.hpp"

namespace harness {

/// What an echo server is besides its tasks, the same for every contender: the listening socket,
/// the list of connections being served, and the answers to *go*:
///     `mark idle 0`, `listening ADDRESS`
///     first *go*:  `mark measuring N` (connections); the counters are read
///     second *go*: what was counted since, results; `mark measured N`
///     third *go*, or the end of the port: stop; everyone leaves
/// Any thread may call any member.
class EchoHost {
 public:
  /// A connection being served; lives in its task, where it must go before the stream does.
  class Guest {
   public:
    Guest(EchoHost& host, int descriptor) noexcept;
    ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    friend class EchoHost;
    EchoHost& host_;
    int descriptor_;
    Guest* previous_ = nullptr;
    Guest* next_ = nullptr;
  };

  /// Listens where the cell says: `transport:tcp` (`host:`, `port:`; 0 lets the kernel choose) or
  /// `transport:unix` (an abstract name of this process). Raises the descriptor limit as far as it
  /// goes. Throws std::system_error.
  EchoHost(Port& port, const Cell& cell, io::Mode mode);

  /// For the room's listener, once.
  [[nodiscard]] io::Descriptor listener() noexcept { return std::move(listener_); }
  /// For the room's stream of *go*. Throws std::system_error.
  [[nodiscard]] io::Descriptor go() const;
  /// The server is ready: says so.
  void open();
  /// One *go* has come; false: it was the last.
  bool advance();
  /// Nobody is let in any more, and those being served are cut off: a peer that never reads would
  /// keep its task for ever.
  void stop() noexcept;
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }
  /// A connection could not be taken or given a task. The cell ends as refused or failed, unless it
  /// is `limits:wait`; then, or until it ends, the next attempt may be made at the returned moment.
  [[nodiscard]] io::TimePoint turned_away(std::error_code error);

 private:
  struct Counters {
    io::SystemCalls calls;
    std::optional<std::uint64_t> allocations;

    static Counters now();
  };
  void report();
  [[nodiscard]] std::uint64_t present() const;

  Port& port_;
  io::Mode mode_;
  bool limits_wait_;
  io::Descriptor listener_;
  io::Descriptor door_;  // the same socket, to be shut from outside the room
  io::Endpoint where_;
  std::atomic<bool> stopping_{false};
  unsigned goes_ = 0;
  Counters opened_;
  Counters before_;
  mutable std::mutex mutex_;  // taken once when a connection comes and once when it goes
  Guest* guests_ = nullptr;
  std::uint64_t present_ = 0;
  std::uint64_t admitted_ = 0;
};

}  // namespace harness
