// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

#include "harness/load/address.hpp"

namespace harness::load {

/// One server to be driven.
struct Target {
  Address address;
  pid_t pid = 0;  ///< whose CPU clock is read at the edges of slices; 0: nobody's
};

/// What a load generator is to do.
struct Plan {
  Target target;
  std::optional<Target> against;   ///< a second server, driven in alternating slices
  std::uint64_t connections = 64;  ///< to each server
  std::uint64_t active = 0;        ///< how many of them send; 0: all
  std::uint64_t bytes = 64;        ///< of a message
  double rate = 0;                 ///< open loop: messages a second; 0: closed loop
  std::chrono::nanoseconds warm_up = std::chrono::milliseconds{500};  ///< each server
  std::chrono::nanoseconds measure = std::chrono::seconds{5};         ///< both servers together
  std::chrono::nanoseconds timeout = std::chrono::seconds{5};         ///< for one answer

  /// Short enough that a machine's drift hits both servers alike; in open loop long enough that a
  /// backlog can build up and be seen.
  static constexpr std::chrono::nanoseconds closed_slice = std::chrono::milliseconds{25};
  static constexpr std::chrono::nanoseconds open_slice = std::chrono::milliseconds{50};
  /// How long after the end of an open-loop slice overdue messages are still sent, so that a short
  /// stall is caught up with; as long as the slice has been, if that is more, and never longer than
  /// `timeout`. At a rate beyond the server's, or ours, a backlog would else put off the end.
  static constexpr std::chrono::nanoseconds least_drain = std::chrono::milliseconds{250};
  static constexpr std::uint64_t most_connections = 1'000'000;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  static constexpr double most_rate = 10e6;
  /// How many rounds a comparison of two servers needs for an interval; run even beyond `measure`.
  static constexpr std::size_t least_rounds = 10;

  [[nodiscard]] std::uint64_t senders() const noexcept {
    return active == 0 ? connections : active;
  }
  /// How long an open-loop slice of this length is drained.
  [[nodiscard]] std::chrono::nanoseconds drain_of(std::chrono::nanoseconds length) const noexcept;
  /// Empty for a plan that can be tried; else the line that says what is out of range.
  [[nodiscard]] std::string objection() const;
};

/// Raises this process's descriptor limit as far as it goes, and throws Failure (`refused:`, the
/// limit, both numbers) when descriptors or source ports cannot suffice for the plan.
void preflight(const Plan& plan);

/// From which loopback addresses 127.0.0.1, .2, … the connections to a loopback server leave, so
/// that none of them runs out of ports. 0: from whichever address the kernel chooses.
unsigned source_addresses(const Plan& plan, const Target& target);

}  // namespace harness::load
